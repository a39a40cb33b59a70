"""Writes network.onnx, a small network with random weights, and the same in two
halves: front.onnx and back.onnx.

    python export.py
"""
import torch
from torch import nn

torch.manual_seed(1)
front = nn.Sequential(nn.Linear(4, 16), nn.Tanh(), nn.Linear(16, 8), nn.Tanh())
back = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))


def export(net, size, file, x, y):
    torch.onnx.export(
        net.eval(), (torch.zeros(2, size),), file, input_names=[x], output_names=[y],
        dynamic_axes={x: {0: "batch"}, y: {0: "batch"}}, opset_version=18, dynamo=False,
    )


export(nn.Sequential(front, back), 4, "network.onnx", "point", "scores")
export(front, 4, "front.onnx", "point", "h")
export(back, 8, "back.onnx", "h", "scores")
