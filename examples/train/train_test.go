// Package train is an example without code: its README trains a network from
// the command line.
package train

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

// TestREADME runs the README's command for fewer epochs, and in each precision.
func TestREADME(t *testing.T) {
	if testing.Short() {
		t.Skip("trains for seconds")
	}
	for _, precision := range []string{"float32", "bfloat16", "float16"} {
		t.Run(precision, func(t *testing.T) { learn(t, "--precision", precision) })
	}
}

func learn(t *testing.T, flags ...string) {
	dir := t.TempDir()
	args := append([]string{"run", "github.com/bbgen/bbgen/cmd/bbgen", "train", "lenet.onnx", "--data", "digits", "--lr", "0.002",
		"--epochs", "1", "--checkpoint", filepath.Join(dir, "checkpoint"), "-o", filepath.Join(dir, "trained.onnx")}, flags...)
	cmd := exec.Command("go", args...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	m := regexp.MustCompile(`accuracy ([0-9.]+) %`).FindSubmatch(out)
	if m == nil {
		t.Fatalf("printed %s, want the accuracy", out)
	}
	if a, err := strconv.ParseFloat(string(m[1]), 64); err != nil || a < 98.5 {
		t.Errorf("accuracy %s %%, want at least 98.5", m[1])
	}
}
