"""Times steps of training with PyTorch, as worker.go.txt does.

    python pytorch.py MODEL eager|compiled THREADS
"""
import json
import resource
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn


class Block(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.heads = heads
        self.n1, self.n2 = nn.LayerNorm(size), nn.LayerNorm(size)
        self.q, self.k, self.v, self.o = (nn.Linear(size, size, bias=False) for _ in range(4))
        self.up, self.down = nn.Linear(size, 4 * size), nn.Linear(4 * size, size)

    def forward(self, x):
        b, t, d = x.shape
        h = self.n1(x)
        q, k, v = (f(h).view(b, t, self.heads, -1).transpose(1, 2) for f in (self.q, self.k, self.v))
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.o(a.transpose(1, 2).reshape(b, t, d))
        return x + self.down(F.gelu(self.up(self.n2(x))))


class Transformer(nn.Module):
    def __init__(self, characters=96, window=64, size=64, heads=4, layers=4):
        super().__init__()
        self.characters, self.positions = nn.Embedding(characters, size), nn.Embedding(window, size)
        self.blocks = nn.Sequential(*(Block(size, heads) for _ in range(layers)))
        self.norm, self.head = nn.LayerNorm(size), nn.Linear(size, characters)
        for p in (self.characters, self.positions):
            nn.init.normal_(p.weight, std=0.05)

    def forward(self, text):
        return self.head(self.norm(self.blocks(self.characters(text) + self.positions.weight)))


def mlp():
    net = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 10))
    return net, torch.rand(64, 784), torch.randint(10, (64,))


def lenet():
    net = nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
        nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10),
    )
    return net, torch.rand(64, 1, 28, 28), torch.randint(10, (64,))


def transformer():
    return Transformer(), torch.randint(96, (32, 64)), torch.randint(96, (32, 64))


def peak():
    for line in open("/proc/self/status"):
        if line.startswith("VmHWM"):
            return int(line.split()[1])
    return 0


def processor():
    r = resource.getrusage(resource.RUSAGE_SELF)
    return r.ru_utime + r.ru_stime


def main(name, mode, threads):
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    net, x, y = {"mlp": mlp, "lenet": lenet, "transformer": transformer}[name]()
    adam = torch.optim.Adam(net.parameters(), lr=1e-6, fused=True)

    def loss_of(x, y):
        return F.cross_entropy(net(x).flatten(0, -2), y.flatten())

    if mode == "compiled":
        loss_of = torch.compile(loss_of)

    def step():
        adam.zero_grad(set_to_none=True)
        loss = loss_of(x, y)
        loss.backward()
        adam.step()
        return loss.item()

    for line in sys.stdin:
        took, budget = [], int(line) / 1e3
        before, begin = processor(), time.perf_counter()
        while not took or time.perf_counter() - begin < budget:
            t = time.perf_counter()
            loss = step()
            took.append(time.perf_counter() - t)
        spent = (processor() - before) / len(took)
        took.sort()
        print(json.dumps({"median_us": took[len(took) // 2] * 1e6, "cpu_us": spent * 1e6, "peak_kb": peak(), "loss": loss}), flush=True)


main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
