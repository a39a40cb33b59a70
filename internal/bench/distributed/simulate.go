package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/bbgen/bbgen/internal/bench/distributed/program/plan"
)

// simulate measures the simulator with many peers of a tiny model, on one core.
func (b *bench) simulate() error {
	sim, err := b.simulator()
	if err != nil {
		return err
	}
	for _, x := range []struct {
		peers  int
		rounds int64
	}{{1000, 100}, {10_000, 3}} {
		data := filepath.Join(b.dir, "simulated")
		if err := writePlan(data, plan.Plan{Parameters: 10, Rounds: x.rounds}); err != nil {
			return err
		}
		used, most, err := simulation(sim, x.peers, data)
		if err != nil {
			return err
		}
		t := row{Figure: fmt.Sprintf("%d peers × %d rounds of 10 parameters simulated on one core", x.peers, x.rounds), Value: used.Seconds(), Unit: "s"}
		m := row{Figure: fmt.Sprintf("memory of %d simulated peers", x.peers), Value: most, Unit: "MiB"}
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

// simulator builds the simulator of the program.
func (b *bench) simulator() (string, error) {
	if _, err := b.binaries("program", "tcp", "server", "client"); err != nil {
		return "", err
	}
	bins, err := b.build("peers/tcp/program", "", "sim")
	return bins["sim"], err
}

// simulation runs a simulation on one core. It returns its processor time and its maximum memory in MiB.
func simulation(bin string, peers int, data string) (used time.Duration, most float64, err error) {
	cmd := exec.Command(bin, "-n", fmt.Sprintf("server=1,client=%d", peers-1), "-data", data)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	cmd.Stdout, cmd.Stderr = io.Discard, os.Stderr
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	// The system's statistics at the end include our own memory, as the process begins as a copy of this one.
	ended := make(chan error)
	go func() { ended <- cmd.Wait() }()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case err := <-ended:
			if err != nil {
				return 0, 0, fmt.Errorf("%d peers: %w", peers, err)
			}
			return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), most, nil
		case <-look.C:
			if m, err := peak(cmd.Process.Pid); err == nil { // otherwise it has just ended
				most = m
			}
		}
	}
}
