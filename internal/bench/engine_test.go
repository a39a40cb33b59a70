package main

import (
	"errors"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestEngines shows that each engine that is installed computes a network of dense layers, gives what the first one
// gives, and is timed.
func TestEngines(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("there is no python3, thus no engine (Debian: python3, and pip install onnxruntime openvino mnn)")
	}
	tmp := t.TempDir()
	dir := filepath.Join(tmp, "mlp-8-16-4")
	if err := writeCase(dir, []int{8, 16, 4}); err != nil {
		t.Fatal(err)
	}
	p, err := newPython("python3", tmp)
	if err != nil {
		t.Fatal(err)
	}
	want := ""
	for _, e := range engines {
		s, err := p.start(e, dir, "best", 1)
		if errors.Is(err, errMissing) {
			t.Logf("%s: %v", e.title, err)
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", e.title, err)
			continue
		}
		l, err := s.step(time.Millisecond)
		s.stop()
		if err != nil || l.Median <= 0 || l.CPU <= 0 || l.Load <= 0 {
			t.Errorf("%s: %+v, %v", e.title, l, err)
		}
		got := p.outputs(e, dir, "best")
		if want == "" {
			want = got
		}
		if err := compareFolders(got, want, rounding); err != nil {
			t.Errorf("%s: %v", e.title, err)
		}
	}
	if want == "" {
		t.Skip("no engine is installed (pip install onnxruntime openvino mnn)")
	}
}
