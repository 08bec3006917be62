"""Neural networks: policy networks, ONNX files and their checks, 8-bit versions."""
