package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"time"

	"github.com/bbgen/bbgen/internal/bench/section"
)

// figures are what a contender prints after each round, as a line of JSON.
type figures struct {
	Median float64 `json:"median_us"` // of a step
	CPU    float64 `json:"cpu_us"`    // processor time of a step
	Peak   float64 `json:"peak_kb"`   // maximum of memory so far
	Loss   float64 `json:"loss"`      // of the last step
}

// process is a running contender. It steps when it reads a number of milliseconds.
type process struct {
	name   string
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	rounds []figures
}

// start runs a command and lets it warm up.
func start(name string, command []string, threads int) (*process, error) {
	p := &process{name: name, cmd: exec.Command(command[0], command[1:]...)}
	p.cmd.Stderr = os.Stderr
	p.cmd.Env = append(os.Environ(), "GOMAXPROCS="+strconv.Itoa(threads), "OMP_NUM_THREADS="+strconv.Itoa(threads))
	var err error
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.out = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	if err := p.step(200 * time.Millisecond); err != nil {
		p.stop()
		return nil, err
	}
	p.rounds = nil
	return p, nil
}

// step lets the process step for a while.
func (p *process) step(budget time.Duration) error {
	if _, err := fmt.Fprintln(p.in, budget.Milliseconds()); err != nil {
		return err
	}
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("it ended: %w", err)
	}
	var f figures
	if err := json.Unmarshal(line, &f); err != nil {
		return fmt.Errorf("%q: %w", line, err)
	}
	p.rounds = append(p.rounds, f)
	return nil
}

// stop ends the process by closing its input.
func (p *process) stop() {
	p.in.Close()
	io.Copy(io.Discard, p.out)
	p.cmd.Wait()
}

// median returns the median of each figure, and the last loss.
func median(rounds []figures) figures {
	return figures{
		Median: section.Median(rounds, func(f figures) float64 { return f.Median }),
		CPU:    section.Median(rounds, func(f figures) float64 { return f.CPU }),
		Peak:   rounds[len(rounds)-1].Peak,
		Loss:   rounds[len(rounds)-1].Loss,
	}
}
