package conformance

import (
	"archive/zip"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// The archives.
const (
	Cases     = "onnx-cases-dev.zip"          // ONNX's own cases
	OldOpsets = "onnx-cases-oldopset-dev.zip" // the same as released with older opsets
	Models    = "models-dev.zip"              // architectures exported from PyTorch
	Training  = "training-dev.zip"            // trajectories: 30 steps of PyTorch
)

// adds describes the cases of the archives that the repository does not have.
var adds = map[string]string{
	Cases:     "ONNX's own cases that are large or of several nodes",
	OldOpsets: "the forms that operators had in released opsets",
	Models:    "whole architectures",
	Training:  "trajectories of training",
}

// Open opens an archive until the test ends. It skips the test if the archive is missing.
func Open(t testing.TB, name string) *zip.Reader {
	t.Helper()
	r, err := zip.OpenReader(Path(t, name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return &r.Reader
}

// Path returns the path of an archive. It skips the test if the archive is missing.
func Path(t testing.TB, name string) string {
	t.Helper()
	file := filepath.Join(dir(t), name)
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("no conformance data: %s is missing, which adds %s to the table of internal/forward; BBGEN_CONFORMANCE names another directory", file, adds[name])
	}
	return file
}

// dir returns the folder of the archives.
func dir(t testing.TB) string {
	if d := os.Getenv("BBGEN_CONFORMANCE"); d != "" {
		return d
	}
	d, err := os.Getwd() // of a test: its package's directory
	if err != nil {
		t.Fatal(err)
	}
	for d != filepath.Dir(d) {
		if _, err := os.Stat(filepath.Join(d, "internal", "conformance")); err == nil {
			break // the top of the repository
		}
		d = filepath.Dir(d)
	}
	return filepath.Join(d, "..", "shared", "conformance")
}
