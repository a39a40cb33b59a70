"""Trains the network of this example and writes digits.onnx.

Nobody needs this to build or run the example: digits.onnx is committed. To make
it again, render the data and train, from this folder:

    go run . -n 60000 -seed 1 -write data/train
    go run . -n 10000 -seed 2 -write data/t10k
    python3 train.py data

It needs torch, onnx and onnxscript (the committed file: torch 2.15, onnx 1.23).
Seeds are fixed; another version of torch may still give other weights.
"""

import struct
import sys

import numpy as np
import onnx
import torch
from torch import nn
from torch.nn import functional as F

EPOCHS = 5
BATCH = 100


class Digits(nn.Module):
    """Two convolutions and two linear layers, 28,874 parameters."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 5, padding=2)
        self.conv2 = nn.Conv2d(8, 16, 5, padding=2)
        self.hidden = nn.Linear(16 * 7 * 7, 32)
        self.logits = nn.Linear(32, 10)

    def forward(self, image):
        x = F.max_pool2d(F.relu(self.conv1(image)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = F.relu(self.hidden(torch.flatten(x, 1)))
        return self.logits(x)


def idx(name):
    """Reads a file in MNIST's format: bytes, with their shape in the header."""
    with open(name, "rb") as f:
        dims = struct.unpack(">xxBB", f.read(4))[1]
        shape = struct.unpack(f">{dims}I", f.read(4 * dims))
        return np.frombuffer(f.read(), np.uint8).reshape(shape)


def load(prefix):
    images = torch.from_numpy(idx(prefix + "-images-idx3-ubyte").copy())
    labels = torch.from_numpy(idx(prefix + "-labels-idx1-ubyte").copy())
    return images.unsqueeze(1).float() / 255, labels.long()


def accuracy(model, images, labels):
    model.eval()
    with torch.no_grad():
        return (model(images).argmax(1) == labels).float().mean().item()


def train(model, images, labels):
    steps = len(images) // BATCH
    opt = torch.optim.Adam(model.parameters())
    plan = torch.optim.lr_scheduler.OneCycleLR(opt, max_lr=4e-3, total_steps=EPOCHS * steps)
    for epoch in range(EPOCHS):
        model.train()
        total = 0.0
        for rows in torch.randperm(len(images))[: steps * BATCH].split(BATCH):
            opt.zero_grad()
            loss = F.cross_entropy(model(images[rows]), labels[rows])
            loss.backward()
            opt.step()
            plan.step()
            total += loss.item()
        print(f"epoch {epoch + 1:2} loss {total / steps:.4f}", flush=True)


def export(model, file):
    """Writes the model without what the exporter notes of this machine."""
    program = torch.onnx.export(
        model,
        (torch.zeros(2, 1, 28, 28),),
        input_names=["image"],
        output_names=["logits"],
        dynamic_shapes={"image": {0: torch.export.Dim("batch")}},
        opset_version=20,
        dynamo=True,
    )
    m = program.model_proto
    m.graph.name = "digits"
    m.graph.doc_string = ""
    del m.metadata_props[:], m.graph.metadata_props[:], m.graph.value_info[:]
    for part in [*m.graph.node, *m.graph.input, *m.graph.output, *m.graph.initializer]:
        part.doc_string = ""
        del part.metadata_props[:]
    onnx.checker.check_model(m, full_check=True)
    onnx.save(m, file)


def main(data):
    torch.manual_seed(1)
    torch.set_num_threads(2)
    model = Digits()
    train(model, *load(data + "/train"))
    print(f"accuracy {accuracy(model, *load(data + '/t10k')):.4f} on digits it has not seen")
    export(model, "digits.onnx")


if __name__ == "__main__":
    main(sys.argv[1])
