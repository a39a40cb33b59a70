"""Times all-reduces of torch.distributed's Gloo, as the command beside it times bbgen's.

    python3 gloo.py '{"ranks": 4, "steps": [{"elements": 1024, "rounds": 51}]}'

Ranks are processes that talk over the loopback. Each sum begins behind a barrier; the times
of all ranks and rounds but the first are printed, in seconds, as JSON: a list for each step.
"""
import json
import os
import subprocess
import sys
import tempfile
import time


def worker(plan, rank, store):
    import torch
    import torch.distributed as dist

    ranks = plan["ranks"]
    torch.set_num_threads(max(1, (os.cpu_count() or 1) // ranks))
    dist.init_process_group("gloo", init_method="file://" + store, rank=rank, world_size=ranks)
    out = []
    for step in plan["steps"]:
        x, times = torch.empty(step["elements"]), []
        for i in range(step["rounds"]):
            x.fill_(rank + 1)
            dist.barrier()
            begin = time.perf_counter()
            dist.all_reduce(x)
            times.append(time.perf_counter() - begin)
            if x[0] != ranks * (ranks + 1) / 2 or x[-1] != x[0]:
                sys.exit(f"the sum is {x[0]} and {x[-1]}")
        lists = [None] * ranks
        dist.all_gather_object(lists, times[1:])
        out.append([t for list in lists for t in list])
    if rank == 0:
        print(json.dumps(out), flush=True)
    dist.destroy_process_group()


def main():
    plan = json.loads(sys.argv[1])
    if len(sys.argv) > 2:
        return worker(plan, int(sys.argv[2]), sys.argv[3])
    with tempfile.TemporaryDirectory() as dir:
        store = os.path.join(dir, "store")
        env = dict(os.environ, GLOO_SOCKET_IFNAME="lo")
        procs = [subprocess.Popen([sys.executable, __file__, sys.argv[1], str(r), store], env=env) for r in range(plan["ranks"])]
        codes = [p.wait() for p in procs]
    sys.exit(max(map(abs, codes)))


main()
