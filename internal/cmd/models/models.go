// Package models lists the ONNX models that a program trains and the outputs of its peers, so that these can be
// converted to ONNX: peers return a model's weights as one vector.
package models

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bbgen/bbgen"
	"github.com/bbgen/bbgen/codegen"
	"github.com/bbgen/bbgen/partitioner"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// File is the name of the [List] in the folder of a program's peers.
const File = "models.json"

// List is what a program trains, and what it gives to its hosts.
type List struct {
	Models  []Model             `json:"models"`
	Outputs map[string][]string `json:"outputs"` // the names of each class, sorted
}

// Model is an ONNX file that is bound to slots of a program.
type Model struct {
	File    string         `json:"file"`    // relative to the folder of the list, with slashes
	Slots   []string       `json:"slots"`   // such as server.Model
	Weights []bbgen.Weight `json:"weights"` // in the order of the vector
}

// Size returns the number of elements of the vector.
func (m *Model) Size() int {
	sum := 0
	for _, w := range m.Weights {
		sum += w.Len()
	}
	return sum
}

// Split splits a vector into the weights.
func (m *Model) Split(vector []float32) (map[string]*tensor.Tensor, error) {
	if len(vector) != m.Size() {
		return nil, fmt.Errorf("%d values, want %d, the weights of %s", len(vector), m.Size(), m.File)
	}
	out := map[string]*tensor.Tensor{}
	for _, w := range m.Weights {
		out[w.Name] = tensor.Of(vector[:w.Len()], w.Shape...)
		vector = vector[w.Len():]
	}
	return out, nil
}

// Of returns the list of a program, whose models have their files in dir, for the folder with its peers. It is nil if the
// program trains none.
func Of(p *partitioner.Program, dir, peers string) ([]codegen.File, error) {
	l := List{Outputs: map[string][]string{}}
	var err error
	if l.Models, err = find(p, dir, peers); err != nil || l.Models == nil {
		return nil, err
	}
	for _, part := range p.Parts {
		if names := part.Outputs(); names != nil {
			l.Outputs[part.Class] = names
		}
	}
	b, err := json.MarshalIndent(l, "", "\t")
	return []codegen.File{codegen.NewFile(File, append(b, '\n'))}, err
}

func find(p *partitioner.Program, dir, peers string) ([]Model, error) {
	var list []Model
	for _, part := range p.Parts {
		for _, s := range part.Slots {
			if s.Binding == nil || s.Binding.Model == "" {
				continue
			}
			weights, err := bbgen.SlotWeights(part, s, dir)
			if err != nil {
				return nil, fmt.Errorf("slot %q of %s: %w", s.Name, part.Class, err)
			}
			m := Model{File: relative(filepath.Join(dir, filepath.FromSlash(s.Binding.Model)), peers), Weights: weights}
			i := slices.IndexFunc(list, func(o Model) bool {
				return o.File == m.File && slices.EqualFunc(o.Weights, m.Weights, bbgen.Weight.Equal)
			})
			if i < 0 {
				i = len(list)
				list = append(list, m)
			}
			list[i].Slots = append(list[i].Slots, part.Class+"."+s.Name)
		}
	}
	return list, nil
}

// relative returns the path of a file relative to a folder, so that both can be moved together.
func relative(file, folder string) string {
	to, errTo := filepath.Abs(file)
	from, errFrom := filepath.Abs(folder)
	name, err := filepath.Rel(from, to)
	if errors.Join(errTo, errFrom, err) != nil {
		name = file
	}
	return filepath.ToSlash(name)
}

// Read reads the list in a folder of peers. It makes paths relative to the working directory.
func Read(peers string) (*List, error) {
	name := filepath.Join(peers, File)
	b, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has no %s: the program trains no ONNX model, or its peers are of an older bbgen; generate them again", peers, File)
	}
	if err != nil {
		return nil, err
	}
	var l List
	if err := json.Unmarshal(b, &l); err != nil {
		if t := (*json.UnmarshalTypeError)(nil); errors.As(err, &t) && t.Field == "" {
			return nil, fmt.Errorf("%s: got %s, want an object with models and outputs: the peers are of an older bbgen; generate them again", name, t.Value)
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for i := range l.Models {
		m := &l.Models[i]
		if err := m.check(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if f := filepath.FromSlash(m.File); !filepath.IsAbs(f) {
			m.File = filepath.Join(peers, f)
		}
	}
	return &l, nil
}

// check returns an error if the shape of a weight is none, or if the weights together have too many elements to count.
func (m *Model) check() error {
	room := math.MaxInt
	for _, w := range m.Weights {
		n := 1
		for _, d := range w.Shape {
			if d < 0 {
				return fmt.Errorf("weight %q of %s has the shape %v, want sizes of 0 or more", w.Name, m.File, w.Shape)
			}
			if d > 0 && n > room/d {
				return fmt.Errorf("weight %q of %s has the shape %v, which has too many elements", w.Name, m.File, w.Shape)
			}
			n *= d
		}
		room -= n
	}
	return nil
}

// BySize returns the model with the given number of weights.
func (l *List) BySize(size int) (*Model, error) {
	var sizes []string
	for i := range l.Models {
		m := &l.Models[i]
		if m.Size() == size {
			return m, nil
		}
		sizes = append(sizes, fmt.Sprintf("%s has %d", m.File, m.Size()))
	}
	return nil, fmt.Errorf("no model has %d weights: %s", size, strings.Join(sizes, ", "))
}

// OutputsOf returns the outputs of a class, or of the classes that run in one peer, as in client+server; "" are all classes.
// They are sorted.
func (l *List) OutputsOf(class string) (names []string) {
	for c, list := range l.Outputs {
		if class == "" || slices.Contains(strings.Split(class, "+"), c) {
			names = append(names, list...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
