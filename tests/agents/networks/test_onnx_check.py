"""Unsafe networks are refused, such as loops or external weights; failures give one line."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import agents
from agents.networks.onnx_check import check_network
from agents.networks.onnx_policy import OnnxPolicy
from agents.search.puct import PuctAgent

SHIPPED = sorted(Path(agents.games.__file__).parent.glob("*/*.onnx"))


def node(operator, inputs, outputs, **attributes):
    return helper.make_node(operator, inputs, outputs, **attributes)


def integer(name, *values):
    return numpy_helper.from_array(np.array(values), name)


CAST = node("Cast", ["product"], ["whole"], to=TensorProto.INT64)

UNKNOWN = [  # equals `sides`, but is known only at run time
    CAST,
    node("ReduceSum", ["whole"], ["nothing"], keepdims=0),
    node("Add", ["nothing", "sides"], ["size"]),
]


def back(name):
    return node("Cast", [name], ["logits"], to=TensorProto.FLOAT)


BRANCH = helper.make_graph([], "branch", [], [])
BODY = helper.make_graph(
    [node("Identity", ["go"], ["go_on"]), node("Identity", ["x"], ["y"])],
    "body",
    [
        helper.make_tensor_value_info("turn", TensorProto.INT64, []),
        helper.make_tensor_value_info("go", TensorProto.BOOL, []),
        helper.make_tensor_value_info("x", TensorProto.FLOAT, None),
    ],
    [
        helper.make_tensor_value_info("go_on", TensorProto.BOOL, []),
        helper.make_tensor_value_info("y", TensorProto.FLOAT, None),
    ],
)
ENDLESS = node("Loop", ["", "true", "product"], ["logits"], body=BODY)
TRUE = numpy_helper.from_array(np.array(True), "true")

FAILING = {
    "division by zero": (
        [CAST, node("Div", ["seven", "whole"], ["ratio"]), back("ratio")],
        [integer("seven", 7)],
    ),
    "index": (
        [
            node("Gather", ["product", "far"], ["one"], axis=1),
            node("Sum", ["product", "one"], ["logits"]),
        ],
        [integer("far", 99)],
    ),
    "shape": (
        [
            *UNKNOWN,
            node("Reshape", ["product", "size"], ["turned"]),
            node("Add", ["product", "turned"], ["logits"]),
        ],
        [integer("sides", 5, 7)],
    ),
    "too large": (
        [
            *UNKNOWN,
            node("ConstantOfShape", ["size"], ["absurd"]),
            node("ReduceMax", ["absurd"], ["most"], keepdims=0),
            node("Add", ["product", "most"], ["logits"]),
        ],
        [integer("sides", 2**18, 2**18)],
    ),
    "too many logits": (
        [*UNKNOWN, node("Reshape", ["product", "size"], ["logits"])],
        [integer("sides", -1, 1)],
    ),
    "too many values": (
        [node("Identity", ["product"], ["logits"]), node("Flatten", ["product"], ["column"])],
        [],
    ),
}


@pytest.fixture
def changed(network_file, gekitai):
    """Return the function that replaces the nodes that compute a network's logits."""

    def write(nodes, constants=(), **more):
        path = network_file(gekitai)
        model = onnx.load(path)
        kept = [n for n in model.graph.node if n.op_type != "Add"]
        if any("column" in n.output for n in nodes):
            kept = [n for n in kept if "column" not in n.output and n.op_type != "Squeeze"]
            kept.append(node("Squeeze", ["column"], ["value"]))
            nodes = sorted(nodes, key=lambda n: "value" in n.output)
        position = next(k for k, n in enumerate(kept) if "product" in n.output) + 1
        kept[position:position] = nodes
        del model.graph.node[:]
        model.graph.node.extend(kept)
        model.graph.initializer.extend(constants)
        for key, value in more.items():
            getattr(model, key).extend(value)
        path.write_bytes(model.SerializeToString())
        return path

    return write


# -- Refused files ----------------------------------------------------------------------


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_the_shipped_networks_pass_the_check(path):
    check_network(path.read_bytes())


def test_the_network_of_a_finished_run_passes_the_check(tiny):
    check_network(tiny.network.read_bytes())


def test_weights_in_another_file_are_refused(network_file, gekitai, refused, monkeypatch):
    path = network_file(gekitai)
    plain = onnx.load(path)
    onnx.save(plain, path, save_as_external_data=True, location="weights.bin", size_threshold=0)
    assert (path.parent / "weights.bin").is_file()
    monkeypatch.chdir(path.parent)
    with refused("handmade.onnx .*weights in another file"):
        agents.make(f"trained:{path}", gekitai)


@pytest.mark.parametrize("where", ["attribute", "branch", "sparse"])
def test_weights_in_another_file_are_refused_in_any_part(changed, gekitai, refused, where):
    elsewhere = TensorProto(data_type=TensorProto.FLOAT, dims=[1], name="elsewhere")
    elsewhere.data_location = TensorProto.EXTERNAL
    elsewhere.external_data.add(key="location", value="weights.bin")
    constant = node("Constant", [], ["unused"], value=elsewhere)
    constants = []
    if where == "branch":
        inner = helper.make_graph([constant], "inner", [], [])
        constant = node("If", ["true"], ["unused"], then_branch=inner, else_branch=BRANCH)
        constants = [TRUE]
    elif where == "sparse":
        sparse = onnx.SparseTensorProto(values=elsewhere)
        constant = node("Constant", [], ["unused"], sparse_value=sparse)
    nodes = [constant, node("Identity", ["product"], ["logits"])]
    with refused("handmade.onnx .*weights in another file"):
        agents.make(f"trained:{changed(nodes, constants)}", gekitai)


@pytest.mark.parametrize("inside", [False, True], ids=["outside", "inside a branch"])
def test_loops_are_refused(changed, gekitai, refused, inside):
    nodes = [ENDLESS]
    if inside:
        branch = helper.make_graph([ENDLESS], "inner", [], [])
        nodes = [node("If", ["true"], ["logits"], then_branch=branch, else_branch=BRANCH)]
    with refused("handmade.onnx .*operator Loop"):
        agents.make(f"trained:{changed(nodes, [TRUE])}", gekitai)


def test_operators_of_other_domains_are_refused(changed, gekitai, refused):
    gelu = node("Gelu", ["product"], ["logits"], domain="com.microsoft")
    path = changed([gelu], opset_import=[helper.make_opsetid("com.microsoft", 1)])
    with refused("handmade.onnx .*operator .*'com.microsoft'"):
        agents.make(f"trained:{path}", gekitai)


def test_own_functions_are_refused(changed, gekitai, refused):
    opset = [helper.make_opsetid("", 17)]
    identity = [node("Identity", ["x"], ["y"])]
    function = helper.make_function("mine", "Same", ["x"], ["y"], identity, opset)
    path = changed([node("Identity", ["product"], ["logits"])], functions=[function])
    with refused("handmade.onnx .*functions"):
        agents.make(f"trained:{path}", gekitai)


def test_arbitrary_bytes_raise_only_value_errors(gekitai, network_file, attempt):
    data = network_file(gekitai).read_bytes()
    rng = np.random.default_rng(0)
    for _ in range(300):
        broken = bytearray(data[: rng.integers(1, len(data))] if rng.random() < 0.5 else data)
        for place in rng.integers(0, len(broken), 3):
            broken[place] = rng.integers(256)
        attempt(check_network, bytes(broken))


# -- Failures at run time ---------------------------------------------------------------


@pytest.mark.parametrize("what", FAILING)
def test_an_error_in_a_network_is_reported(changed, gekitai, refused, what):
    path = changed(*FAILING[what])
    states = gekitai.new(3, 0)
    network = OnnxPolicy(gekitai, path)
    said = "must return logits" if "too many" in what else "failed: "
    for asked in (
        lambda: network.evaluate(states),
        lambda: agents.make(f"trained:{path}", gekitai).act(states),
        lambda: PuctAgent(gekitai, 0, 5, path=path, decisive=False).act(states),
        lambda: agents.play_match(gekitai, [f"trained:{path}", "random"], 2, seed=0),
    ):
        with refused(f"handmade.onnx {said}"):
            asked()


def test_a_value_that_is_not_a_number_is_refused(changed, gekitai, refused):
    path = changed([node("Identity", ["product"], ["logits"])])
    model = onnx.load(path)
    model.graph.node.append(node("Cast", ["value"], ["words"], to=TensorProto.STRING))
    model.graph.output[1].CopyFrom(
        helper.make_tensor_value_info("words", TensorProto.STRING, ["n"])
    )
    for one in model.graph.node:
        one.output[:] = ["numbers" if name == "value" else name for name in one.output]
        one.input[:] = ["numbers" if name == "value" else name for name in one.input]
        one.output[:] = ["value" if name == "words" else name for name in one.output]
    model.graph.output[1].name = "value"
    path.write_bytes(model.SerializeToString())
    with refused(r"value tensor\(float\).*, got .*'value': .tensor\(string\)"):
        agents.make(f"trained:{path}", gekitai)


def test_the_command_reports_a_failing_network_in_one_line(changed, gekitai, capsys):
    from agents.command import main

    path = changed(*FAILING["division by zero"])
    assert main(["watch", "gekitai", f"trained:{path}", "random", "--seed", "0"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "handmade.onnx failed: " in said
