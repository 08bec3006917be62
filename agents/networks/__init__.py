"""Policy networks, ONNX files with their checks, and int8 versions."""
