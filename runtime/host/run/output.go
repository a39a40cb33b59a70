package run

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// outputs collects the values of -out: NAME=FILE, a file for the only output, or a folder of output_I.
type outputs []string

func (o *outputs) String() string     { return strings.Join(*o, ",") }
func (o *outputs) Set(s string) error { *o = append(*o, s); return nil }

// outFile is a file for an output.
type outFile struct {
	output int
	name   string
}

// files returns the files to write, each once.
func (o outputs) files(p model.Program, npy bool) ([]outFile, error) {
	var files []outFile
	folder := false
	for _, arg := range o {
		if f, ok, err := oneFile(p, arg); err != nil {
			return nil, err
		} else if ok {
			files = append(files, f)
			continue
		}
		folder = true
		files = append(files, allInto(p, arg, npy)...)
	}
	seen := map[string]bool{}
	for _, f := range files {
		name := filepath.Clean(f.name) // ./y.npy is y.npy
		if seen[name] {
			return nil, Usagef("-out: two outputs are for the file %s", name)
		}
		seen[name] = true
	}
	if npy && !folder {
		return nil, Usagef("-npy is for a folder: give -out FOLDER, too")
	}
	return files, nil
}

// oneFile reads an argument that names the file of one output. It reports whether it is not a folder.
func oneFile(p model.Program, arg string) (f outFile, ok bool, err error) {
	name, file, named := strings.Cut(arg, "=")
	ext := filepath.Ext(arg)
	switch isFile := ext == ".npy" || ext == ".pb"; {
	case !named && !isFile:
		return f, false, nil
	case !isFile:
		return f, false, Usagef("-out %s: want a file that ends with .npy or .pb", arg)
	case !named && len(p.Outputs) != 1:
		return f, false, Usagef("-out %s is a file, want NAME=%s or a folder; outputs are: %s", arg, arg, names(p.Outputs))
	case !named:
		return outFile{0, arg}, true, nil
	}
	i := index(p.Outputs, name)
	if i < 0 {
		return f, false, Usagef("-out %s: there is no output %q; there are: %s", arg, name, names(p.Outputs))
	}
	return outFile{i, file}, true, nil
}

// allInto returns a file in a folder for each output.
func allInto(p model.Program, dir string, npy bool) []outFile {
	ext := "pb"
	if npy {
		ext = "npy"
	}
	var files []outFile
	for i := range p.Outputs {
		files = append(files, outFile{i, filepath.Join(dir, fmt.Sprintf("output_%d.%s", i, ext))})
	}
	return files
}

// WriteFolder writes the outputs of the last run as output_I.pb, for the process that started this one. Files
// of a process that is killed may be incomplete.
func WriteFolder(p model.Program, s model.Session, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return writeAll(p, s, allInto(p, dir, false), os.WriteFile)
}

// writeAll writes outputs of the last run.
func writeAll(p model.Program, s model.Session, files []outFile, write func(string, []byte, fs.FileMode) error) error {
	for _, f := range files {
		o := p.Outputs[f.output]
		b, err := encodeAs(filepath.Ext(f.name), o, s.Output(f.output))
		if err != nil {
			return fmt.Errorf("output %q: %w; write it to a .pb file", o.Name, err)
		}
		if err := write(f.name, b, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// encodeAs returns v as a .npy file, or as the protobuf message of its kind.
func encodeAs(ext string, o model.Port, v tensor.Value) ([]byte, error) {
	if ext != ".npy" {
		return encode(o.Name, v), nil
	}
	t, ok := v.(*tensor.Tensor)
	if !ok {
		return nil, fmt.Errorf("npy holds tensors, not %s", o.Type)
	}
	return tensorio.AppendNPY(nil, t)
}

// encode returns v as the protobuf message of its kind.
func encode(name string, v tensor.Value) []byte {
	switch v := v.(type) {
	case *tensor.Sequence:
		return tensorio.AppendSequence(nil, name, v)
	case *tensor.Optional:
		return tensorio.AppendOptional(nil, name, v)
	case *tensor.Map:
		return tensorio.AppendMap(nil, name, v)
	}
	return tensorio.AppendTensor(nil, name, v.(*tensor.Tensor))
}
