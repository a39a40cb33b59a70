package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// lab tries mutants, each in an overlay: it does not change the tree.
type lab struct {
	root      string
	dir       string // for build results
	schedules int
	jobs      int
}

// Verdict is the result for a mutant.
type Verdict struct {
	Name      string `json:"name"`
	File      string `json:"file"`
	Simulator bool   `json:"simulator"` // the simulator has detected the mutant
	Tests     bool   `json:"tests"`     // the tests of the mutant's package have detected it
	How       string `json:"how"`
	Seconds   int    `json:"seconds"`
}

// noticed reports whether the mutant was detected.
func (v *Verdict) noticed() bool { return v.Simulator || v.Tests }

// try runs what must detect a mutant.
func (l *lab) try(m *Mutant) (v Verdict, err error) {
	began := time.Now()
	v = Verdict{Name: m.Name, File: m.File}
	overlay, err := l.overlay(m)
	if err != nil {
		return v, err
	}
	if m.Want == simulator {
		v.Simulator, v.How, err = l.simulate(overlay)
	} else {
		v.Tests, v.How, err = l.test(overlay, string(m.Want))
	}
	v.Seconds = int(time.Since(began).Seconds())
	return v, err
}

// overlay writes the mutant's file and an overlay that replaces the original.
func (l *lab) overlay(m *Mutant) (string, error) {
	b, err := m.text(l.root)
	if err != nil {
		return "", err
	}
	file, overlay := filepath.Join(l.dir, "mutant.go"), filepath.Join(l.dir, "overlay.json")
	if err := os.WriteFile(file, b, 0o666); err != nil {
		return "", err
	}
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(l.root, m.File): file}})
	if err != nil {
		return "", err
	}
	return overlay, os.WriteFile(overlay, list, 0o666)
}

// long is the time limit of a program, as a mutant may prevent it from ending.
const long = 5 * time.Minute

// run runs a command in the repository, and returns its output.
func (l *lab) run(name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), long)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.WaitDelay = l.root, time.Second
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return "it does not end", ctx.Err()
	}
	return string(out), err
}

// simulate runs the simulator with the mutant.
func (l *lab) simulate(overlay string) (noticed bool, how string, err error) {
	bin := filepath.Join(l.dir, "simulate")
	if out, err := l.run("go", "build", "-overlay", overlay, "-o", bin, "./internal/simulate/simulate"); err != nil {
		return false, "", fmt.Errorf("the mutant does not compile: %s", out)
	}
	out, err := l.run(bin, "-quick", "-schedules", fmt.Sprint(l.schedules), "-jobs", fmt.Sprint(l.jobs))
	return err != nil, first(out, "seed "), nil
}

// test runs the short tests of a package with the mutant.
func (l *lab) test(overlay, pkg string) (noticed bool, how string, err error) {
	if out, err := l.run("go", "vet", "-overlay", overlay, "./"+pkg); err != nil {
		return false, "", fmt.Errorf("the mutant does not compile: %s", out)
	}
	out, err := l.run("go", "test", "-short", "-overlay", overlay, "./"+pkg)
	return err != nil, first(out, "--- FAIL"), nil
}

// first returns the first line that begins with a word, shortened.
func first(out, word string) string {
	for line := range strings.Lines(out) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, word) {
			return line[:min(len(line), 150)]
		}
	}
	line, _, _ := strings.Cut(out, "\n")
	return line[:min(len(line), 150)]
}
