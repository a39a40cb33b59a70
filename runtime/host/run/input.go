package run

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// inputs collects the values of -in: name=FILE, or a folder of input_I.pb or input_I.npy.
type inputs []string

func (in *inputs) String() string     { return strings.Join(*in, ",") }
func (in *inputs) Set(s string) error { *in = append(*in, s); return nil }

// load reads the inputs of p and sets them in s.
func (in inputs) load(p model.Program, s model.Session) error {
	files := make([]string, len(p.Inputs))
	named := map[string]bool{}
	for _, arg := range in {
		name, file, ok := strings.Cut(arg, "=")
		if st, err := os.Stat(arg); !ok && err == nil && !st.IsDir() {
			return Usagef("-in %s is a file, want NAME=%s or a folder; inputs are: %s", arg, arg, names(p.Inputs))
		}
		if !ok {
			for i := range files {
				files[i] = inputFile(arg, i)
			}
			continue
		}
		i := index(p.Inputs, name)
		if i < 0 {
			return Usagef("-in %s: there is no input %q; there are: %s", arg, name, names(p.Inputs))
		}
		if named[name] {
			return Usagef("-in %s: input %q is given twice", arg, name)
		}
		named[name], files[i] = true, file
	}
	values := make([]tensor.Value, len(files))
	for i, f := range files {
		if f == "" {
			return Usagef("input %q is missing: give -in %s=FILE", p.Inputs[i].Name, p.Inputs[i].Name)
		}
		v, err := readValue(f, p.Inputs[i])
		if err != nil {
			return err
		}
		if err := model.CheckInputs(p.Inputs[i:i+1], []tensor.Value{v}); err != nil { // SetInput does not know the names of sizes
			return fmt.Errorf("%s: %w", f, err)
		}
		if err := s.SetInput(i, v); err != nil {
			return fmt.Errorf("%s: input %q: %w", f, p.Inputs[i].Name, err)
		}
		values[i] = v
	}
	return model.CheckInputs(p.Inputs, values)
}

// inputFile returns the file of an input in a folder: a .pb file, unless there is only a .npy file.
func inputFile(dir string, i int) string {
	name := filepath.Join(dir, fmt.Sprintf("input_%d", i))
	if _, err := os.Stat(name + ".pb"); err != nil {
		if _, err := os.Stat(name + ".npy"); err == nil {
			return name + ".npy"
		}
	}
	return name + ".pb"
}

// index returns the position of the port with a name, -1 if there is none.
func index(ports []model.Port, name string) int {
	return slices.IndexFunc(ports, func(p model.Port) bool { return p.Name == name })
}

func names(ports []model.Port) string {
	s := make([]string, len(ports))
	for i, p := range ports {
		s[i] = p.Name
	}
	return strings.Join(s, ", ")
}

// readValue reads a .npy file, or the protobuf message of the port's type.
func readValue(file string, p model.Port) (tensor.Value, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := tensorio.ReadFile(f)
	if err != nil {
		return nil, err
	}
	var v tensor.Value
	switch ext := filepath.Ext(file); ext {
	case ".npy":
		v, err = orNil(tensorio.DecodeNPY(b))
	case ".pb":
		v, err = decode(b, p.Type)
	default:
		if v, err = decode(b, p.Type); err != nil {
			return nil, fmt.Errorf("%s: want a .npy file, or ONNX's message in a .pb file", file)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return v, nil
}

// decode reads the message of a type in the model's notation.
func decode(b []byte, typ string) (tensor.Value, error) {
	switch {
	case strings.HasPrefix(typ, "seq("):
		v, _, err := tensorio.DecodeSequence(b)
		return orNil(v, err)
	case strings.HasPrefix(typ, "map("):
		v, _, err := tensorio.DecodeMap(b)
		return orNil(v, err)
	case strings.HasPrefix(typ, "optional("):
		v, _, err := tensorio.DecodeOptional(b)
		if err != nil { // the value may be written without its wrapper
			return decode(b, strings.TrimSuffix(strings.TrimPrefix(typ, "optional("), ")"))
		}
		return v, nil
	}
	v, _, err := tensorio.DecodeTensor(b)
	return orNil(v, err)
}

// orNil keeps a typed nil of a failed decoder out of the interface.
func orNil[T tensor.Value](v T, err error) (tensor.Value, error) {
	if err != nil {
		return nil, err
	}
	return v, nil
}

// LoadFolder sets the inputs of s from input_I.pb or input_I.npy of a folder.
func LoadFolder(p model.Program, s model.Session, dir string) error {
	return inputs{dir}.load(p, s)
}
