package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// lab tries mutants, each in an overlay: it does not change the tree.
type lab struct {
	root      string
	dir       string // for build results
	schedules int
	jobs      int
	atOnce    int
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

// control runs what must detect mutants without a mutant. It returns an error unless all of it passes: otherwise a
// verdict would say nothing.
func (l *lab) control(list []Mutant) error {
	var watches []Watch
	for _, m := range list {
		if !slices.Contains(watches, m.Want) {
			watches = append(watches, m.Want)
		}
	}
	errs := make([]error, len(watches))
	l.each(len(watches), func(i int) {
		dir := filepath.Join(l.dir, fmt.Sprint("control", i))
		noticed, how, err := l.watch(watches[i], dir, "")
		if err == nil && noticed {
			err = fmt.Errorf("it fails: %s", how)
		}
		if err != nil {
			errs[i] = fmt.Errorf("%s, without a mutant: %w", watches[i], err)
		}
	})
	return errors.Join(errs...)
}

// tryAll tries mutants, and calls told with each verdict, one at a time. It returns an error for each mutant without
// a verdict.
func (l *lab) tryAll(list []Mutant, told func(*Mutant, *Verdict)) (errs []error) {
	var mu sync.Mutex
	l.each(len(list), func(i int) {
		v, err := l.try(&list[i], filepath.Join(l.dir, fmt.Sprint("mutant", i)))
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			errs = append(errs, fmt.Errorf("mutant %q: %w", list[i].Name, err))
			return
		}
		told(&list[i], &v)
	})
	return errs
}

// each calls do with the numbers below n, some of them at a time.
func (l *lab) each(n int, do func(i int)) {
	var all sync.WaitGroup
	free := make(chan struct{}, l.atOnce)
	for i := range n {
		free <- struct{}{}
		all.Go(func() {
			defer func() { <-free }()
			do(i)
		})
	}
	all.Wait()
}

// try runs what must detect a mutant, in a folder for its files.
func (l *lab) try(m *Mutant, dir string) (v Verdict, err error) {
	began := time.Now()
	v = Verdict{Name: m.Name, File: m.File}
	overlay, err := l.overlay(m, dir)
	if err != nil {
		return v, err
	}
	noticed, how, err := l.watch(m.Want, dir, overlay)
	v.Simulator, v.Tests, v.How = noticed && m.Want == simulator, noticed && m.Want != simulator, how
	v.Seconds = int(time.Since(began).Seconds())
	return v, err
}

// watch runs the simulator or the tests of a package with an overlay, "" for none, and reports whether it fails. The
// folder is for binaries.
func (l *lab) watch(w Watch, dir, overlay string) (noticed bool, how string, err error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return false, "", err
	}
	defer os.RemoveAll(dir)
	if w == simulator {
		return l.simulate(dir, overlay)
	}
	return l.test(dir, overlay, string(w))
}

// overlay writes the mutant's file, and an overlay in which it replaces the original. It returns the overlay's name.
func (l *lab) overlay(m *Mutant, dir string) (string, error) {
	b, err := m.text(l.root)
	if err != nil {
		return "", err
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		return "", err
	}
	file, overlay := filepath.Join(dir, "mutant.go"), filepath.Join(dir, "overlay.json")
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

// run runs a command in a folder of the repository, and returns its output.
func (l *lab) run(folder, name string, args ...string) (string, error) {
	return l.runIn(folder, nil, name, args...)
}

// runIn is run with variables of the environment.
func (l *lab) runIn(folder string, env []string, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), long)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.WaitDelay, cmd.Env = filepath.Join(l.root, folder), time.Second, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return "it does not end", ctx.Err()
	}
	return string(out), err
}

// build runs a go command that writes a binary, with an overlay, "" for none.
func (l *lab) build(overlay, verb string, args ...string) error {
	if out, err := l.run("", "go", append([]string{verb, "-overlay=" + overlay}, args...)...); err != nil {
		return fmt.Errorf("it does not compile: %s", out)
	}
	return nil
}

// simulate runs the simulator with the mutant.
func (l *lab) simulate(dir, overlay string) (noticed bool, how string, err error) {
	bin := filepath.Join(dir, "simulate")
	if err := l.build(overlay, "build", "-o", bin, "./internal/simulate/simulate"); err != nil {
		return false, "", err
	}
	out, err := l.run("", bin, "-quick", "-schedules", fmt.Sprint(l.schedules), "-jobs", fmt.Sprint(l.jobs))
	return err != nil, first(out, "seed "), nil
}

// test runs the short tests of a package with the mutant.
func (l *lab) test(dir, overlay, pkg string) (noticed bool, how string, err error) {
	bin := filepath.Join(dir, "tests")
	if err := l.build(overlay, "test", "-vet=off", "-c", "-o", bin, "./"+pkg); err != nil {
		return false, "", err
	}
	var env []string
	if overlay != "" {
		env = append(env, "BBGEN_OVERLAY="+overlay) // for tests that compile
	}
	out, err := l.runIn(pkg, env, bin, "-test.short", "-test.timeout", long.String())
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
