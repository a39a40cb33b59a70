package train

import (
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// slot is a state of an optimizer for each parameter.
type slot struct {
	name string
	init float64
	none bool // it is omitted
}

// kind is an optimizer: its operator, and its slots for given settings.
type kind struct {
	op    string
	slots func(o *Optimizer) []slot
}

var kinds = map[string]kind{
	"adagrad": {"StepAdagrad", func(o *Optimizer) []slot { return []slot{{name: "sum", init: o.Initial}} }},
	"adam":    {"StepAdam", moments},
	"adamw":   {"StepAdamW", moments},
	"lamb":    {"StepLAMB", moments},
	"lion":    {"StepLion", func(o *Optimizer) []slot { return []slot{{name: "m"}} }},
	"muon":    {"StepMuon", func(o *Optimizer) []slot { return []slot{{name: "m"}} }},
	"rmsprop": {"StepRMSprop", func(o *Optimizer) []slot {
		return trim([]slot{{name: "v"}, {name: "mean", none: !o.Centered}, {name: "m", none: o.Momentum == 0}})
	}},
	"sgd": {"StepSGD", func(o *Optimizer) []slot { return trim([]slot{{name: "m", none: o.Momentum == 0}}) }},
}

// moments returns the slots of Adam and similar optimizers.
func moments(o *Optimizer) []slot {
	return trim([]slot{{name: "m"}, {name: "v"}, {name: "max", none: !o.AMSGrad}})
}

// trim removes omitted slots at the end.
func trim(s []slot) []slot {
	for len(s) > 0 && s[len(s)-1].none {
		s = s[:len(s)-1]
	}
	return s
}

// optimize updates one parameter.
func (s *step) optimize(p *ir.State, g, scale *ir.Value) error {
	o := s.opt.Optimizer
	group := s.opt.group(p.Param.Name)
	o.Decay = group.Decay
	if o.Name == "muon" && len(p.Param.Type.Shape) != 2 { // it is for matrices
		decay, maximize := o.Decay, o.Maximize
		o = optimizers["adamw"]
		o.Name, o.Decay, o.Maximize = "adamw", decay, maximize
	}
	k := kinds[o.Name]
	in := []*ir.Value{p.Param, g, s.rate, s.count, scale}
	slots := k.slots(&o)
	states := []*ir.State{p}
	for _, x := range slots {
		if x.none {
			in, states = append(in, nil), append(states, nil)
			continue
		}
		var init *tensor.Tensor
		if x.init != 0 {
			init = filled(p.Init, x.init)
		}
		st := s.state(p.Param.Name+"."+x.name, ir.OptimizerSlot, p.Param.Type, init)
		in, states = append(in, st.Param), append(states, st)
	}
	outs := s.own(k.op, len(states), o.attrs(group.Rate), in...)
	for i, st := range states {
		if st == nil {
			outs[0].Def.Out[i] = nil
			continue
		}
		st.Next = outs[i]
		st.Next.Name = s.m.FreshName(st.Param.Name + ".next")
	}
	return s.b.Err()
}

// attrs returns the attributes of the optimizer's node.
func (o *Optimizer) attrs(rate float64) ir.Attrs {
	var a ir.Attrs
	for _, x := range []struct {
		name string
		v    float64
	}{
		{"momentum", o.Momentum}, {"dampening", o.Dampening}, {"beta1", o.Beta1}, {"beta2", o.Beta2},
		{"epsilon", o.Epsilon}, {"decay", o.Decay}, {"rate_decay", o.RateDecay},
	} {
		if x.v != 0 {
			a.Set(x.name, x.v)
		}
	}
	if rate != 1 {
		a.Set("factor", rate)
	}
	if o.Nesterov {
		a.Set("nesterov", int64(1))
	}
	if o.Maximize {
		a.Set("maximize", int64(1))
	}
	return a
}

// filled returns a tensor like t with all elements v.
func filled(t *tensor.Tensor, v float64) *tensor.Tensor {
	out := tensor.New(t.DType, t.Shape...)
	switch d := out.Data.(type) {
	case []float32:
		for i := range d {
			d[i] = float32(v)
		}
	case []float64:
		for i := range d {
			d[i] = v
		}
	}
	return out
}
