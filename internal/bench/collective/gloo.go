package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/bbgen/bbgen/internal/bench/collective/load"
)

//go:embed gloo.py
var glooScript []byte

// gloo returns the times of Gloo for the sums of a plan, by the size in bytes.
func (b *bench) gloo(plan load.Plan) (map[int][]time.Duration, error) {
	if b.python == "" {
		return nil, nil
	}
	script := filepath.Join(b.tmp, "gloo.py")
	if err := os.WriteFile(script, glooScript, 0o666); err != nil {
		return nil, err
	}
	type step struct {
		Elements int   `json:"elements"`
		Rounds   int64 `json:"rounds"`
	}
	asked := struct {
		Ranks int    `json:"ranks"`
		Steps []step `json:"steps"`
	}{Ranks: plan.Ranks}
	for _, s := range plan.Steps {
		asked.Steps = append(asked.Steps, step{s.Elements, s.Rounds})
	}
	text, err := json.Marshal(asked)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(b.python, script, string(text))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s gloo.py: %w", b.python, err)
	}
	var seconds [][]float64
	if err := json.Unmarshal(out, &seconds); err != nil || len(seconds) != len(plan.Steps) {
		return nil, fmt.Errorf("%s gloo.py printed %q: %w", b.python, out, err)
	}
	times := map[int][]time.Duration{}
	for i, list := range seconds {
		for _, s := range list {
			n := 4 * plan.Steps[i].Elements
			times[n] = append(times[n], time.Duration(s*1e9))
		}
	}
	return times, nil
}
