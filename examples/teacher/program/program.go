// Package program is knowledge distillation (Hinton, Vinyals and Dean 2015) among peers: students learn from
// the probabilities that a teacher assigns to each digit.
package program

import (
	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/runtime/component/fedavg"
	"github.com/bbgen/bbgen/runtime/component/shard"
	"github.com/bbgen/bbgen/runtime/tensor"
)

//go:generate go tool bbgen . -o ../peer

// The parameters of the program.
const (
	Rounds      = 20
	Pupils      = 4
	Steps       = 8   // of training, in a round
	Batch       = 32  // pictures in a step
	Own         = 200 // number of parts into which the data are divided: the four pupils have four of these
	Tests       = 500 // pictures for evaluation
	Temperature = 4   // of the softmax when students are compared with the teacher
)

var (
	pictures = dsl.Float32("n", 1, 28, 28)
	labels   = dsl.Int64("n")
	logits   = dsl.Float32("n", 10)
	vector   = dsl.Float32(dsl.Any)
)

// Teacher has three models: a trained one, which does not change; the students' model with distillation; and
// their model without it.
type Teacher struct {
	Teacher, Taught, Alone      dsl.Model
	Pictures, Tests             dsl.DataSource
	AverageTaught, AverageAlone dsl.Aggregator
}

// Body is one round: all pupils receive the same
// pictures, and the teacher's probabilities for them.
func (t Teacher) Body(g *dsl.Graph) {
	r := g.Rounds(Rounds, dsl.IfShort(dsl.Repeat))
	taught := r.Carry("taught", t.Taught.Params(g))
	alone := r.Carry("alone", t.Alone.Params(g))
	pupils := g.Peers("pupil", dsl.AtLeast(Pupils))

	shown, _ := t.Pictures.NextBatch(g, dsl.Float32(Steps*Batch, 1, 28, 28), dsl.Int64(Steps*Batch))
	g.NetOut("shown", pupils, shown)
	g.NetOut("logits", pupils, t.Teacher.Forward(g, shown, dsl.Float32(Steps*Batch, 10)))

	x, y := t.Tests.NextBatch(g, pictures, labels)
	g.Output("teacher", right(g, t.Teacher, x, y))
	for _, s := range []struct {
		name    string
		params  dsl.Value
		model   dsl.Model
		average dsl.Aggregator
	}{{"taught", taught, t.Taught, t.AverageTaught}, {"alone", alone, t.Alone, t.AverageAlone}} {
		g.NetOut(s.name, pupils, s.params)
		update := g.Input(s.name+"_update", vector, dsl.From(pupils))
		next := s.average.Aggregate(g, s.average.Contribute(g, update, dsl.Value{}), dsl.Quorum(Pupils-1))
		r.Next(s.params, next)
		s.model.LoadParameters(g, next)
		g.Output(s.name, right(g, s.model, x, y))
	}
}

// right returns the fraction of digits that a model recognizes.
func right(g *dsl.Graph, m dsl.Model, x, y dsl.Value) dsl.Value {
	digits := g.ArgMax(m.Forward(g, x, logits), 1)
	return g.ReduceMean(g.Cast(g.Equal(digits, y), tensor.Float32))
}

// Pupil has two students with the same initial model: one is taught, the other learns alone.
type Pupil struct {
	Taught, Alone dsl.Model
	Data          dsl.DataSource
}

// Body is one round of both students, with the same number of steps.
func (p Pupil) Body(g *dsl.Graph) {
	taught, alone := g.Input("taught", vector), g.Input("alone", vector)
	p.Taught.LoadParameters(g, taught)
	p.Alone.LoadParameters(g, alone)

	shown := g.Input("shown", dsl.Float32(Steps*Batch, 1, 28, 28))
	told := g.Input("logits", dsl.Float32(Steps*Batch, 10))
	for i := range Steps {
		p.study(g, p.Taught, p.Alone)
		part := func(v dsl.Value) dsl.Value { return g.Slice(v, 0, i*Batch, (i+1)*Batch) }
		learn(g, p.Taught, part(shown), soft(g, part(told), Temperature), Temperature)
		p.study(g, p.Alone)
	}
	g.NetOut("taught_update", g.Sender(taught), p.Taught.Params(g))
	g.NetOut("alone_update", g.Sender(alone), p.Alone.Params(g))
}

// study trains students for one step on the pupil's own pictures and labels.
func (p Pupil) study(g *dsl.Graph, students ...dsl.Model) {
	x, y := p.Data.NextBatch(g, dsl.Float32(Batch, 1, 28, 28), dsl.Int64(Batch))
	digits := g.Const([]int64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	sure := g.Cast(g.Equal(g.Unsqueeze(y, 1), digits), tensor.Float32)
	for _, m := range students {
		learn(g, m, x, sure, 1)
	}
}

// learn trains a model for one step towards target probabilities for a batch, at a temperature T. The
// gradient of the cross-entropy of two softmaxes is (q-p)/T; multiplied by T², as in the paper, the size of a
// step does not depend on T.
func learn(g *dsl.Graph, m dsl.Model, x, p dsl.Value, temperature float64) {
	q := soft(g, m.Forward(g, x, dsl.Float32(Batch, 10)), temperature)
	m.Backward(g, g.Mul(g.Sub(q, p), g.Scalar(q, temperature/Batch)))
}

// soft returns the probability of each digit at a temperature.
func soft(g *dsl.Graph, logits dsl.Value, temperature float64) dsl.Value {
	return g.Softmax(g.Div(logits, g.Scalar(logits, temperature)), 1)
}

// Program returns the teacher and the pupil.
func Program() dsl.Program {
	student := dsl.Model{Bind: dsl.ONNX("student.onnx", dsl.Train{
		Optimizer: dsl.Optimizer{Name: "sgd", Rate: 0.03, Momentum: 0.9},
	})}
	images := []int{1, 28, 28}
	mean := dsl.Aggregator{Bind: dsl.Go(fedavg.Average{})}
	return dsl.Program{Name: "teacher", Modules: []dsl.Module{
		Teacher{
			Teacher: dsl.Model{Bind: dsl.ONNX("../../digits/digits.onnx")},
			Taught:  student, Alone: student,
			Pictures:      dsl.DataSource{Bind: dsl.Go(shard.Source{Shape: images, Classes: 10, Batch: Steps * Batch})},
			Tests:         dsl.DataSource{Bind: dsl.Go(shard.Source{Shape: images, Classes: 10, Batch: Tests, Val: true})},
			AverageTaught: mean, AverageAlone: mean,
		},
		Pupil{
			Taught: student, Alone: student,
			Data: dsl.DataSource{Bind: dsl.Go(shard.Source{Shape: images, Classes: 10, Batch: Batch, Peers: Own})},
		},
	}}
}
