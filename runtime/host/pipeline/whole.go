package pipeline

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// wholeState is the state of all stages on the last one. Variables of one name in several stages are the same, such as
// the number of the step: the list has the first.
type wholeState struct {
	stages [][]variable
	own    []model.Variable
	vars   []model.Variable // nil before the first use: checkpoints alone need the memory
	index  map[string]int   // in vars
}

// add adds the variables of the next stage, whose state has a known size in bytes.
func (w *wholeState) add(list []variable, most int) error {
	size := 0
	for _, v := range list {
		if !(v.DType.IsFloat() || v.DType.IsInt() || v.DType == tensor.Bool) || slices.ContainsFunc(v.Shape, func(d int) bool { return d < 0 }) {
			return fmt.Errorf("%w: a variable is %s", errMessage, tensor.TypeText(v.DType, v.Shape))
		}
		n, err := tensor.NumElements(v.Shape)
		if err != nil {
			return fmt.Errorf("%w: %w", errMessage, err)
		}
		if size += n * v.DType.Size(); n > most || size > most {
			return fmt.Errorf("%w: its state is larger than %d bytes", errMessage, most)
		}
	}
	w.stages = append(w.stages, list)
	return nil
}

// addOwn adds the variables of the last stage, which are here.
func (w *wholeState) addOwn(list []model.Variable) {
	w.own = list
	w.stages = append(w.stages, describe(list))
}

// describe returns variables without their values.
func describe(list []model.Variable) []variable {
	out := []variable{}
	for _, v := range list {
		out = append(out, variable{v.Name, v.Kind, v.Of, v.Value.DType, v.Value.Shape})
	}
	return out
}

// list returns all variables.
func (w *wholeState) list() []model.Variable {
	if w.vars != nil {
		return w.vars
	}
	w.index = map[string]int{}
	for k, list := range w.stages {
		for i, v := range list {
			if _, there := w.index[v.Name]; there {
				continue
			}
			x := model.Variable{Name: v.Name, Kind: v.Kind, Of: v.Of}
			if k == len(w.stages)-1 {
				x.Value = w.own[i].Value
			} else {
				x.Value = tensor.New(v.DType, v.Shape...)
			}
			w.index[v.Name] = len(w.vars)
			w.vars = append(w.vars, x)
		}
	}
	return w.vars
}

// bytes returns the values of a stage's variables.
func (w *wholeState) bytes(stage int) (parts [][]byte) {
	all := w.list()
	for _, v := range w.stages[stage] {
		parts = append(parts, all[w.index[v.Name]].Value.Bytes())
	}
	return parts
}

// set sets the values of a stage's variables.
func (w *wholeState) set(stage int, b []byte) error {
	parts := w.bytes(stage)
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	if size != len(b) {
		return fmt.Errorf("%w: a state of %d bytes, want %d", errMessage, len(b), size)
	}
	for _, p := range parts {
		b = b[copy(p, b):]
	}
	return nil
}

// copyOwn sets those variables of the last stage that others have, too.
func (w *wholeState) copyOwn() {
	for i, p := range w.bytes(len(w.stages) - 1) {
		copy(w.own[i].Value.Bytes(), p)
	}
}
