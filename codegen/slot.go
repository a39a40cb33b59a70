package codegen

import (
	"fmt"
	"slices"

	"github.com/bbgen/bbgen/codegen/plan"
	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/op/peer"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// SlotMethod is a method of a trainer's type for the slot of a peer. Calls of the role Model are checked
// against it and converted to it. Its first parameter is a context and its last result an error, in addition
// to Params and Results.
type SlotMethod struct {
	Name, Doc       string
	Params, Results []SlotValue
	Numbers         []string // further parameters of type int

	base   string         // the underlying method of trained.Model
	plain  []int          // first arguments: parameters as they are, by number
	args   []int          // further arguments: parameters as tensors, by number
	result int            // the result that the underlying method returns, or -1
	from   map[int]source // the sources of the other results, by number
}

// SlotValue is a parameter or a result.
type SlotValue struct {
	Name string
	Type ir.Type
}

// source is an output of the model or the gradient of an input, by its number, or what a method of trained.Model
// returns.
type source struct {
	gradient bool
	number   int
	method   string
}

// SlotMethods returns the methods of the trainer in the slot of a peer. A part of a network without a loss
// has different methods.
func (t *Trainer) SlotMethods() ([]SlotMethod, error) {
	s := slotMaker{Trainer: t, trainer: &trainer{Trainer: t}}
	for _, p := range s.outputs() {
		if p.Value.Type.Kind != ir.Tensor {
			return nil, fmt.Errorf("output %q is %s, want a tensor: peers have nothing else", p.Value.Name, p.Value.Type)
		}
	}
	if !s.trainer.hasLoss() {
		return []SlotMethod{s.forward(), s.forwardTrain(), s.backward()}, nil
	}
	out := []SlotMethod{s.trainStep(), s.computeLoss(), s.forward()}
	if t.Update != nil {
		out = append(out, s.halfStep(), s.beginGradients(), s.nextGradients())
	}
	if len(t.Gradients) > 0 {
		out = append(out, s.trainStepGradient())
	}
	return out, nil
}

// slotMaker makes the methods of a trainer.
type slotMaker struct {
	*Trainer
	trainer *trainer
}

// outputs returns the model's own outputs.
func (s *slotMaker) outputs() []*plan.Port {
	out := s.trainer.outputs()
	if s.Each {
		out = out[:len(out)-1]
	}
	return out
}

// values returns ports as parameters or results.
func values(ports []*plan.Port) []SlotValue {
	var out []SlotValue
	for _, p := range ports {
		out = append(out, SlotValue{p.Value.Name, p.Value.Type})
	}
	return out
}

// upTo returns the numbers from first to n−1.
func upTo(first, n int) []int {
	var out []int
	for i := first; i < n; i++ {
		out = append(out, i)
	}
	return out
}

var (
	lossValue  = SlotValue{"loss", ir.TensorOf(tensor.Float32)}
	drawnValue = SlotValue{"drawn", ir.TensorOf(tensor.Int64)}
	passValue  = SlotValue{"pass", ir.TensorOf(tensor.Int64)}

	bucketValue = SlotValue{"gradients", ir.TensorOf(tensor.Float32, ir.Sym("bucket"))}
)

// step returns a method with inputs and targets as parameters.
func (s *slotMaker) step(name, base, doc string) SlotMethod {
	in := append(values(s.trainer.own()), values(s.trainer.targets())...)
	return SlotMethod{Name: name, Doc: doc, base: base, Params: in, args: upTo(0, len(in)), Results: []SlotValue{lossValue}}
}

func (s *slotMaker) trainStep() SlotMethod {
	return s.step("TrainStep", "Step", "TrainStep is one step of training; it returns the loss.")
}

// halfStep returns the first half of a step. The second half is the same for all models, and a method of
// trained.Model.
func (s *slotMaker) halfStep() SlotMethod {
	m := s.step("Gradients", "Differentiate", "Gradients is the gradients of the parameters, one behind the other, and the loss.")
	m.Results = []SlotValue{{"gradients", ir.TensorOf(tensor.Float32, ir.C(s.parameters()))}, lossValue}
	m.result, m.from = 1, map[int]source{0: {method: "ParameterGradients"}}
	return m
}

// beginGradients and nextGradients return the first half of a step in parts.
func (s *slotMaker) beginGradients() SlotMethod {
	m := s.step("BeginGradients", "BeginPass",
		"BeginGradients computes Gradients until the last bucket is complete, and returns it and the number of the pass.")
	m.Numbers = []string{"buckets"}
	m.Results = []SlotValue{bucketValue, passValue}
	m.result, m.from = 1, map[int]source{0: {method: "Bucket"}}
	return m
}

func (s *slotMaker) nextGradients() SlotMethod {
	m := s.step("NextGradients", "ContinuePass",
		"NextGradients continues a pass until a bucket is complete, and returns it; with bucket 0 it returns the loss.")
	m.plain, m.Params = []int{len(m.Params)}, append(m.Params, passValue)
	m.Numbers = []string{"bucket", "buckets"}
	m.Results = []SlotValue{bucketValue, lossValue}
	m.result, m.from = 1, map[int]source{0: {method: "Bucket"}}
	return m
}

// parameters returns the number of elements of all trained parameters.
func (s *slotMaker) parameters() int {
	sum := 0
	for _, st := range s.Step.States {
		if st.Kind == ir.Parameter {
			sum += st.Init.Len()
		}
	}
	return sum
}

func (s *slotMaker) computeLoss() SlotMethod {
	return s.step("ComputeLoss", "Loss", "ComputeLoss is the loss as inference computes it.")
}

func (s *slotMaker) trainStepGradient() SlotMethod {
	m := s.step("TrainStepGradient", "Step", "TrainStepGradient is TrainStep, and the gradients of the inputs.")
	s.giveGradients(&m)
	return m
}

func (s *slotMaker) forward() SlotMethod {
	m := SlotMethod{Name: "Forward", Doc: "Forward is what the model makes of its inputs.", base: "Infer", result: -1}
	return s.giveOutputs(m)
}

func (s *slotMaker) forwardTrain() SlotMethod {
	m := s.giveOutputs(SlotMethod{
		Name: "ForwardTrain", base: "Ahead",
		Doc: "ForwardTrain is what a step makes of the inputs, and the number of what it draws, for Backward.",
	})
	m.result = len(m.Results)
	m.Results = append(m.Results, drawnValue)
	return m
}

// giveOutputs makes the inputs the parameters of a method, and the outputs its results.
func (s *slotMaker) giveOutputs(m SlotMethod) SlotMethod {
	m.Params, m.Results, m.from = values(s.trainer.own()), values(s.outputs()), map[int]source{}
	m.args = upTo(0, len(m.Params))
	for i := range m.Results {
		m.from[i] = source{number: i}
	}
	return m
}

// backward returns a method with these parameters: the gradients of the outputs, the inputs, and the number
// of the random draws.
func (s *slotMaker) backward() SlotMethod {
	dys, ins := values(s.trainer.targets()), values(s.trainer.own())
	m := SlotMethod{
		Name: "Backward", base: "Back", Doc: "Backward takes the gradients of the outputs back through the model, and makes a step.",
		Params: slices.Concat(dys, ins, []SlotValue{drawnValue}), result: -1,
		plain: []int{len(dys) + len(ins)},
		args:  append(upTo(len(dys), len(dys)+len(ins)), upTo(0, len(dys))...),
	}
	s.giveGradients(&m)
	return m
}

// giveGradients makes the gradients of inputs the results of a method, without gradients that have no reader.
func (s *slotMaker) giveGradients(m *SlotMethod) {
	m.from = map[int]source{}
	for i, p := range s.trainer.own() {
		if !peer.HasGradient(p.Value.Type) {
			continue
		}
		if len(s.Gradients) > 0 {
			m.from[len(m.Results)] = source{gradient: true, number: i}
		}
		m.Results = append(m.Results, SlotValue{p.Value.Name + ".grad", p.Value.Type})
	}
}
