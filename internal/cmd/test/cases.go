package test

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/bbgen/bbgen/internal/project"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/compare"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// testCase is a model with the data sets it must reproduce.
type testCase struct {
	name   string
	tol    compare.Tolerance
	shapes bool // compare only types and shapes
	jobs   []*job
}

// manifest is the description of a collection of cases.
type manifest struct {
	Cases []struct {
		Name    string
		RTol    *float64
		ATol    *float64
		Compare string
	}
}

// findCases lists the cases of the arguments with matching names. Zip files are
// unpacked to a temporary folder, which cleanup removes.
func findCases(args []string, tol compare.Tolerance, match string) (cases []*testCase, cleanup func(), err error) {
	var removes []func()
	cleanup = func() {
		for _, remove := range removes {
			remove()
		}
	}
	re, err := regexp.Compile(match)
	if err != nil {
		return nil, cleanup, err
	}
	for _, arg := range args {
		dir := arg
		if strings.HasSuffix(arg, ".zip") {
			var remove func()
			if dir, remove, err = project.TempDir("", "bbgen-cases-*"); err != nil {
				return nil, cleanup, err
			}
			removes = append(removes, remove)
			if err := unzip(arg, dir, re); err != nil {
				return nil, cleanup, fmt.Errorf("%s: %w", arg, err)
			}
		}
		found, err := casesIn(arg, dir, tol, re)
		if e, ok := errors.AsType[*fs.PathError](err); ok && e.Path == arg {
			err = e.Err // the path is said once
		}
		if err != nil {
			return nil, cleanup, fmt.Errorf("%s: %w", arg, err)
		}
		cases = append(cases, found...)
	}
	return cases, cleanup, nil
}

// unzip extracts the manifest and the matching cases. It rejects names that lead out of the folder.
func unzip(name, dir string, re *regexp.Regexp) error {
	z, err := zip.OpenReader(name)
	if err != nil {
		return err
	}
	defer z.Close()
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, f := range z.File {
		if strings.HasSuffix(f.Name, "/") || f.Name != "manifest.json" && !re.MatchString(f.Name) {
			continue
		}
		if err := unpack(root, f); err != nil {
			return err
		}
	}
	return nil
}

func unpack(root *os.Root, f *zip.File) error {
	if !filepath.IsLocal(f.Name) {
		return fmt.Errorf("entry %q leads out of the folder", f.Name)
	}
	if err := root.MkdirAll(filepath.Dir(f.Name), 0o777); err != nil {
		return err
	}
	in, err := f.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := root.Create(f.Name)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	return out.Close()
}

// casesIn lists the cases below dir, each named by its relative path.
func casesIn(arg, dir string, tol compare.Tolerance, re *regexp.Regexp) ([]*testCase, error) {
	rows, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	var out []*testCase
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "model.onnx" {
			return err
		}
		c := &testCase{tol: tol}
		rel, err := filepath.Rel(dir, filepath.Dir(path))
		if err != nil {
			return err
		}
		c.name = filepath.ToSlash(rel)
		if rel == "." {
			c.name = filepath.Base(filepath.Clean(arg))
		}
		if !re.MatchString(c.name) {
			return nil
		}
		rows.apply(c)
		if c.jobs, err = dataSets(c.name, path); err != nil {
			return err
		}
		out = append(out, c)
		return nil
	})
	return out, err
}

func readManifest(dir string) (*manifest, error) {
	var m manifest
	b, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return &m, nil
	}
	if err != nil {
		return nil, err
	}
	return &m, json.Unmarshal(b, &m)
}

func (m *manifest) apply(c *testCase) {
	for _, row := range m.Cases {
		if row.Name != c.name {
			continue
		}
		if row.RTol != nil {
			c.tol.Rel = *row.RTol
		}
		if row.ATol != nil {
			c.tol.Abs = *row.ATol
		}
		c.shapes = row.Compare == "shape"
	}
}

// dataSets returns a job for each test_data_set_K beside a model.
func dataSets(name, model string) ([]*job, error) {
	sets, err := filepath.Glob(filepath.Join(filepath.Dir(model), "test_data_set_*"))
	if err != nil {
		return nil, err
	}
	var out []*job
	for _, in := range sets {
		out = append(out, &job{name: name, model: model, in: in})
	}
	return out, nil
}

// verdict compares the outputs of the jobs with the expected ones.
func (c *testCase) verdict() error {
	for _, j := range c.jobs {
		if j.err != nil {
			return j.err
		}
		for i, t := range j.outputs {
			if err := c.compare(j, i, t); err != nil {
				return fmt.Errorf("%s: output %d: %w", filepath.Base(j.in), i, err)
			}
		}
	}
	return nil
}

func (c *testCase) compare(j *job, i int, t ir.Type) error {
	got, err := readValue(filepath.Join(j.out, fmt.Sprintf("output_%d.pb", i)), t)
	if err != nil {
		return err
	}
	want, err := readValue(filepath.Join(j.in, fmt.Sprintf("output_%d.pb", i)), t)
	if err != nil {
		return err
	}
	if c.shapes {
		return compare.Shape(got, want)
	}
	return compare.Values(got, want, c.tol)
}

// readValue reads a protobuf message for the given type.
func readValue(file string, t ir.Type) (tensor.Value, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	switch t.Kind {
	case ir.Sequence:
		s, _, err := tensorio.DecodeSequence(b)
		return s, err
	case ir.Map:
		m, _, err := tensorio.DecodeMap(b)
		return m, err
	case ir.Optional:
		if o, _, err := tensorio.DecodeOptional(b); err == nil {
			return o, nil
		}
		return readValue(file, *t.Of)
	}
	v, _, err := tensorio.DecodeTensor(b)
	return v, err
}
