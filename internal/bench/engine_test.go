package main

import (
	"errors"
	"os"
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

// TestConverterFiles: MNN's converter leaves files in the folder that it runs in, which is that of the outputs.
func TestConverterFiles(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("there is no python3, thus no engine (Debian: python3)")
	}
	libs, work := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"engines.py": string(enginesPy),
		"numpy.py":   "",
		"onnx.py":    "raise ImportError\n", // the import of engines.py ends without an engine
		"_tools.py":  "def mnnconvert(args):\n    open('.left', 'w')\n    open(args[args.index('--MNNModel') + 1], 'w')\n",
		"MNN.py":     "def version():\n    return '0'\n\ndef Interpreter(model):\n    raise SystemExit(0)\n",
	} {
		if err := os.WriteFile(filepath.Join(libs, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(work, "outputs"), 0o777); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-c", "import engines; engines.MNN('model.onnx', [], {}, {}, 1, 'outputs')", "mnn", "model.onnx", "data", "1", "outputs")
	cmd.Dir, cmd.Env = work, append(os.Environ(), "PYTHONPATH="+libs)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	left, err := os.ReadDir(work)
	if err != nil || len(left) != 1 {
		t.Errorf("the working folder has %v, %v, want the outputs alone", left, err)
	}
	for _, name := range []string{".left", "model.mnn"} {
		if _, err := os.Stat(filepath.Join(work, "outputs", name)); err != nil {
			t.Error(err)
		}
	}
}
