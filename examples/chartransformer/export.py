"""Writes transformer.onnx: four layers of causal attention over characters, with random weights."""
import math, onnx, torch, torch.nn as nn, torch.nn.functional as F
V, T, D, H, L = 96, 64, 64, 4, 4
class Block(nn.Module):
    def __init__(s):
        super().__init__()
        s.n1, s.n2 = nn.LayerNorm(D), nn.LayerNorm(D)
        s.q, s.k, s.v, s.o = (nn.Linear(D, D, bias=False) for _ in range(4))
        s.up, s.down = nn.Linear(D, 4*D), nn.Linear(4*D, D)
    def forward(s, x, mask):
        h = s.n1(x)
        q, k, v = (f(h).reshape(-1, T, H, D//H).transpose(1, 2) for f in (s.q, s.k, s.v))
        a = (q @ k.transpose(2, 3)) / math.sqrt(D//H)
        a = torch.where(mask, a, torch.tensor(-1e9)).softmax(3)
        x = x + s.o((a @ v).transpose(1, 2).reshape(-1, T, D))
        return x + s.down(F.gelu(s.up(s.n2(x))))
class Model(nn.Module):
    def __init__(s):
        super().__init__()
        s.characters, s.positions = nn.Embedding(V, D), nn.Embedding(T, D)
        s.blocks = nn.ModuleList(Block() for _ in range(L))
        s.norm, s.head = nn.LayerNorm(D), nn.Linear(D, V)
        s.register_buffer('mask', torch.ones(T, T).tril() > 0, persistent=False)
        for p in (s.characters, s.positions): nn.init.normal_(p.weight, std=0.05)
    def forward(s, text):
        x = s.characters(text) + s.positions.weight
        for b in s.blocks: x = b(x, s.mask)
        return s.head(s.norm(x))
torch.manual_seed(1)
# In this mode the exporter stores each weight once. Otherwise all layer norms would share one scale and one bias, as these are equal now.
torch.onnx.export(Model(), (torch.zeros(2, T, dtype=torch.long),), "transformer.onnx", input_names=['text'], output_names=['logits'],
    dynamic_axes={'text': {0: 'batch'}, 'logits': {0: 'batch'}}, training=torch.onnx.TrainingMode.PRESERVE, dynamo=False, opset_version=18)
m = onnx.load("transformer.onnx")
m.graph.name = "transformer"
onnx.save(m, "transformer.onnx")
