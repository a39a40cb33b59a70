"""Writes lenet.onnx: a small convolutional network with random weights.

    python export.py
"""
import torch
from torch import nn


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
            nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10),
        )

    def forward(self, image):
        return self.net(image)


torch.manual_seed(0)
torch.onnx.export(
    LeNet().eval(), (torch.zeros(2, 1, 28, 28),), "lenet.onnx",
    input_names=["image"], output_names=["logits"],
    dynamic_axes={"image": {0: "batch"}, "logits": {0: "batch"}},
    opset_version=18, dynamo=False,
)
