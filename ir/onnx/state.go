package onnx

import (
	"errors"
	"fmt"
	"strings"

	"github.com/bbgen/bbgen/artifact/keys"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx/onnxpb"
)

// isState reports whether an input of the model is a state variable. For other programs, it is an input with
// a default.
func (d *decoder) isState(p *onnxpb.ValueInfoProto) bool {
	return d.depth == 1 && d.m.Main == nil && prop(p.MetadataProps, keys.State) != ""
}

// state reads a state variable. Its initializer is the initial value.
func (d *decoder) state(p *onnxpb.ValueInfoProto, s *scope) error {
	st := &ir.State{Kind: ir.StateKind(printable(prop(p.MetadataProps, keys.State)))}
	v := &ir.Value{Doc: p.GetDocString()}
	if c := s.vals[p.GetName()]; c != nil {
		st.Init, v.Name = c.Const, c.Name
	} else {
		v.Name = d.values.fresh(printable(p.GetName()))
	}
	st.Param = v
	s.vals[p.GetName()] = v
	d.states = append(d.states, st)
	d.next = append(d.next, prop(p.MetadataProps, keys.Next))
	return d.inputType(v, p.GetType())
}

// nextStates finds the next values of the state variables.
func (d *decoder) nextStates(s *scope) error {
	for i, st := range d.states {
		if st.Next = s.lookup(d.next[i]); st.Next == nil {
			return fmt.Errorf("state %q becomes %q, which is not defined", st.Param.Name, d.next[i])
		}
	}
	return nil
}

// checkStates checks that the types of states, their initial values and their next values agree.
func (d *decoder) checkStates() error {
	if d.states == nil {
		return nil
	}
	if err := ir.Verify(d.m); err != nil {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return errors.New(first)
	}
	return nil
}
