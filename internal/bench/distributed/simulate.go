package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/bbgen/bbgen/internal/bench/distributed/program/plan"
)

// simulate measures the simulator with many peers of a tiny model, on one core.
func (b *bench) simulate() error {
	bins, err := b.binaries("program", "tcp", "server", "client")
	if err != nil {
		return err
	}
	if bins["sim"] == "" {
		sim, err := b.build("peers/tcp/program", "sim")
		if err != nil {
			return err
		}
		bins["sim"] = sim["sim"]
	}
	for _, x := range []struct {
		peers  int
		rounds int64
	}{{1000, 100}, {10_000, 3}} {
		data := filepath.Join(b.dir, "simulated")
		if err := writePlan(data, plan.Plan{Parameters: 10, Rounds: x.rounds}); err != nil {
			return err
		}
		used, err := simulation(bins["sim"], x.peers, data)
		if err != nil {
			return err
		}
		seconds := float64(syscall.TimevalToNsec(used.Utime)+syscall.TimevalToNsec(used.Stime)) / 1e9
		t := row{Figure: fmt.Sprintf("%d peers × %d rounds of 10 parameters simulated on one core", x.peers, x.rounds), Value: seconds, Unit: "s"}
		m := row{Figure: fmt.Sprintf("memory of %d simulated peers", x.peers), Value: float64(used.Maxrss) / 1024, Unit: "MiB"}
		if x.peers == 1000 {
			t.Bound, t.Bar = "≤", 10
		} else {
			m.Bound, m.Bar = "≤", 4096
		}
		b.add(t)
		b.add(m)
	}
	return nil
}

// simulation runs a simulation on one core, and returns what it used.
func simulation(bin string, peers int, data string) (*syscall.Rusage, error) {
	cmd := exec.Command(bin, "-n", fmt.Sprintf("server=1,client=%d", peers-1), "-data", data)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	cmd.Stdout, cmd.Stderr = io.Discard, os.Stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%d peers: %w", peers, err)
	}
	return cmd.ProcessState.SysUsage().(*syscall.Rusage), nil
}
