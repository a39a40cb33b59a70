// Package models lists the ONNX models that a program trains, so that the results of its peers can be
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

// File is the name of the list of models in the folder of a program's peers.
const File = "models.json"

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

// Of returns the list of a program's models, which have their files in dir, for the folder with its peers. It is nil
// if the program trains none.
func Of(p *partitioner.Program, dir, peers string) ([]codegen.File, error) {
	list, err := find(p, dir, peers)
	if err != nil || list == nil {
		return nil, err
	}
	b, err := json.MarshalIndent(list, "", "\t")
	return []codegen.File{{Path: File, Data: append(b, '\n')}}, err
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
func Read(peers string) ([]Model, error) {
	name := filepath.Join(peers, File)
	b, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has no %s: the program trains no ONNX model, or its peers are of an older bbgen; generate them again", peers, File)
	}
	if err != nil {
		return nil, err
	}
	var list []Model
	if err := json.Unmarshal(b, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for i := range list {
		if err := list[i].check(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if f := filepath.FromSlash(list[i].File); !filepath.IsAbs(f) {
			list[i].File = filepath.Join(peers, f)
		}
	}
	return list, nil
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

// BySize returns the model in a list with the given number of weights.
func BySize(list []Model, size int) (*Model, error) {
	var sizes []string
	for i := range list {
		if list[i].Size() == size {
			return &list[i], nil
		}
		sizes = append(sizes, fmt.Sprintf("%s has %d", list[i].File, list[i].Size()))
	}
	return nil, fmt.Errorf("no model has %d weights: %s", size, strings.Join(sizes, ", "))
}
