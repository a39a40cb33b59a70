package onnx

import (
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx/onnxpb"
)

// training reads the training information. An algorithm runs as if its nodes were appended to the model's
// graph, so that it can read the graph's values; an initialization is separate.
func (d *decoder) training(top *scope) error {
	for i, p := range d.p.TrainingInfo {
		t, err := d.trainingInfo(p, top)
		if err != nil {
			return fmt.Errorf("training_info %d: %w", i, err)
		}
		d.m.Training = append(d.m.Training, t)
	}
	return nil
}

func (d *decoder) trainingInfo(p *onnxpb.TrainingInfoProto, top *scope) (*ir.Training, error) {
	t := &ir.Training{}
	inner := newScope(top)
	var err error
	if p.Algorithm != nil {
		if t.Algorithm, err = d.trainingFunc(p.Algorithm, inner); err != nil {
			return nil, fmt.Errorf("algorithm: %w", err)
		}
		if t.Updates, err = bindings(p.UpdateBinding, inner, inner); err != nil {
			return nil, fmt.Errorf("update_binding: %w", err)
		}
	}
	if p.Initialization != nil {
		s := newScope(nil)
		if t.Init, err = d.trainingFunc(p.Initialization, s); err != nil {
			return nil, fmt.Errorf("initialization: %w", err)
		}
		if t.Inits, err = bindings(p.InitializationBinding, inner, s); err != nil {
			return nil, fmt.Errorf("initialization_binding: %w", err)
		}
	}
	return t, nil
}

func (d *decoder) trainingFunc(p *onnxpb.GraphProto, s *scope) (*ir.Func, error) {
	body, err := d.graph(p, s)
	if err != nil {
		return nil, err
	}
	if err := body.Sort(); err != nil {
		return nil, err
	}
	return &ir.Func{Name: printable(p.GetName()), Body: body}, nil
}

// bindings reads pairs of an initializer and the value that is stored in it.
func bindings(list []*onnxpb.StringStringEntryProto, keys, values *scope) ([]ir.Binding, error) {
	var out []ir.Binding
	for _, kv := range list {
		to, from := keys.lookup(kv.GetKey()), values.lookup(kv.GetValue())
		if !to.IsConst() {
			return nil, fmt.Errorf("%q is not an initializer", kv.GetKey())
		}
		if from == nil {
			return nil, fmt.Errorf("%q is not defined", kv.GetValue())
		}
		out = append(out, ir.Binding{To: to, From: from})
	}
	return out, nil
}
