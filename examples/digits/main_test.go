package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/internal/project"
	"github.com/bbgen/bbgen/ir/onnx"
	"github.com/bbgen/bbgen/runtime/tensor"
)

func TestDigits(t *testing.T) {
	dir := t.TempDir()
	if err := run([]string{"-n", "250", "-seed", "7", "-write", filepath.Join(dir, "t10k")}, nil); err != nil {
		t.Fatal(err)
	}
	compress(t, filepath.Join(dir, "t10k-images-idx3-ubyte"))
	for _, args := range [][]string{
		{"-n", "200"},
		{"-n", "200", "-data", dir},
	} {
		var out strings.Builder
		if err := run(args, &out); err != nil {
			t.Errorf("%q: %v", args, err)
			continue
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		var r result
		if err := json.Unmarshal([]byte(lines[len(lines)-1]), &r); err != nil {
			t.Errorf("%q: %v in\n%s", args, err, &out)
		}
		if r.Digits != 200 || r.Accuracy < 0.97 || r.Micros <= 0 {
			t.Errorf("%q: got %+v, want 200 digits, at least 0.97 of them recognized", args, r)
		}
	}
}

// compress replaces a file by a compressed one, like MNIST's.
func compress(t *testing.T, name string) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write(data)
	z.Close()
	if err := os.WriteFile(name+".gz", b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
}

func TestRefuses(t *testing.T) {
	dir := t.TempDir()
	if err := render(1, 2).write(filepath.Join(dir, "t10k")); err != nil {
		t.Fatal(err)
	}
	if err := writeIDX(filepath.Join(dir, "t10k-labels-idx1-ubyte"), tensor.Of([]byte{1}, 1)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"-n", "0"}, "got -n 0 and arguments [], want at least 1 and none"},
		{[]string{"-data", dir}, dir + ": images have dimensions [2 28 28] for 1 labels, want [1 28 28]"},
		{[]string{"-data", filepath.Join(dir, "none")}, "t10k-images-idx3-ubyte: no such file or directory"},
	} {
		if err := run(tt.args, nil); err == nil || !strings.HasSuffix(err.Error(), tt.want) {
			t.Errorf("%q: error %v, want %s", tt.args, err, tt.want)
		}
	}
}

// TestCurrent tests that package model is the present output of bbgen for digits.onnx.
func TestCurrent(t *testing.T) {
	home, err := project.Find("model")
	if err != nil {
		t.Fatal(err)
	}
	m, err := onnx.ReadFile("digits.onnx")
	if err != nil {
		t.Fatal(err)
	}
	r, err := bbgen.Compile(m, bbgen.Config{Package: "model", Source: "digits.onnx", Import: home.Import, Golden: project.TestData("digits.onnx")})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Files {
		got, err := os.ReadFile(filepath.Join("model", filepath.FromSlash(f.Path)))
		if err != nil || !bytes.Equal(got, f.Bytes()) {
			t.Errorf("model/%s is not what bbgen writes now (%v): run go generate here and look at the difference", f.Path, err)
		}
	}
}
