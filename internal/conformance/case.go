package conformance

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"
)

// Case is one model with its data: a row of the archive's manifest.
type Case struct {
	Name  string   `json:"name"` // the directory in the archive: "node/test_abs"
	Op    string   `json:"op"`   // the operator under test
	Ops   []string `json:"ops"`  // all operators of the model
	Flags []string `json:"flags"`

	// |got-want| ≤ ATol + RTol·|want|
	RTol float64 `json:"rtol"`
	ATol float64 `json:"atol"`

	Compare string `json:"compare"` // "values", or "shape" if the values are random

	archive *zip.Reader
}

// Set is one run: its inputs and expected outputs, each a TensorProto, SequenceProto or OptionalProto.
type Set struct{ Inputs, Outputs [][]byte }

// List returns the cases of an archive. Without a manifest, these are the directories with a model.
func List(t testing.TB, archive *zip.Reader) []*Case {
	t.Helper()
	cases, err := list(archive)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		c.archive = archive
	}
	return cases
}

func list(archive *zip.Reader) ([]*Case, error) {
	b, err := fs.ReadFile(archive, "manifest.json")
	if errors.Is(err, fs.ErrNotExist) {
		return unlisted(archive), nil
	}
	if err != nil {
		return nil, err
	}
	var manifest struct{ Cases []*Case }
	if err := json.Unmarshal(b, &manifest); err != nil {
		return nil, fmt.Errorf("manifest.json: %w", err)
	}
	return manifest.Cases, nil
}

func unlisted(archive *zip.Reader) []*Case {
	var out []*Case
	for _, f := range archive.File {
		if dir, ok := strings.CutSuffix(f.Name, "/model.onnx"); ok {
			out = append(out, &Case{Name: dir, Compare: "values"})
		}
	}
	return out
}

// Is reports whether the manifest gives the case a flag, such as "control_flow", "float16" or
// "random_output".
func (c *Case) Is(flag string) bool { return slices.Contains(c.Flags, flag) }

// File returns the content of a file of the case: "losses.json".
func (c *Case) File(t testing.TB, name string) []byte {
	t.Helper()
	b, err := fs.ReadFile(c.archive, path.Join(c.Name, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Model returns the ModelProto.
func (c *Case) Model(t testing.TB) []byte {
	t.Helper()
	return c.File(t, "model.onnx")
}

// Sets returns the runs, in order.
func (c *Case) Sets(t testing.TB) []Set {
	t.Helper()
	var out []Set
	for {
		dir := fmt.Sprintf("test_data_set_%d", len(out))
		if _, err := fs.Stat(c.archive, path.Join(c.Name, dir)); err != nil {
			return out
		}
		out = append(out, Set{Inputs: c.numbered(t, dir+"/input_%d.pb"), Outputs: c.numbered(t, dir+"/output_%d.pb")})
	}
}

// numbered reads the files 0, 1, 2 … of a pattern until one is missing.
func (c *Case) numbered(t testing.TB, pattern string) [][]byte {
	t.Helper()
	var out [][]byte
	for {
		b, err := fs.ReadFile(c.archive, path.Join(c.Name, fmt.Sprintf(pattern, len(out))))
		if errors.Is(err, fs.ErrNotExist) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, b)
	}
}
