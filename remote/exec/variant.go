package exec

import (
	"context"
	"fmt"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/eval"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// variant is a graph for inputs of given shapes.
type variant struct {
	f       *ir.Func
	program *program // nil if only a run knows all sizes
	bytes   int      // of constants, if program is nil
}

func (v *variant) run(ctx context.Context, in []*tensor.Tensor, m Memory) ([]*tensor.Tensor, error) {
	u := &usage{Memory: m}
	var out []*tensor.Tensor
	var err error
	if v.program != nil {
		out, err = v.program.run(ctx, in, u)
	} else {
		out, err = v.evaluate(ctx, in, u)
	}
	kept := 0
	for _, t := range out {
		kept += Bytes(t)
	}
	if err == nil {
		err = u.settle(kept)
	}
	if err != nil {
		u.settle(0)
		return nil, err
	}
	return out, nil
}

// evaluate runs a graph with sizes that are known only at run time.
func (v *variant) evaluate(ctx context.Context, in []*tensor.Tensor, u *usage) ([]*tensor.Tensor, error) {
	values := make([]tensor.Value, len(in))
	for i, t := range in {
		values[i] = t
	}
	results, err := eval.RunWithin(v.f, values, eval.Limits{Take: u.Take, Stop: ctx.Err})
	if err != nil {
		return nil, err
	}
	out := make([]*tensor.Tensor, len(results))
	for i, r := range results {
		t, ok := r.(*tensor.Tensor)
		if !ok {
			return nil, fmt.Errorf("output %q is %s, want a tensor", v.f.Body.Results[i].Name, v.f.Body.Results[i].Type)
		}
		out[i] = t
	}
	return out, nil
}

func (v *variant) close(m Memory) {
	if v.program != nil {
		m.Give(v.program.bytes)
	}
	m.Give(v.bytes)
}
