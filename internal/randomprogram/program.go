package randomprogram

import (
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"strings"

	"github.com/bbgen/bbgen/dsl"
	"github.com/bbgen/bbgen/ir"
)

// Program is a random program of two classes of peers.
type Program struct {
	Seed  uint64
	Betas int // the number of peers of class beta; class alpha has one
	Steps []Step
}

// Step is what one class records at once.
type Step struct {
	ID    int    // names its edges and values
	Class string // alpha or beta
	Word  int    // the index of a word; -1: any method
	Reply bool   // the other half of a word on two classes
	Seed  uint64
}

// Record records the program. Its error is of type dsl.Errors, or panicked.
func (p Program) Record() (m *ir.Module, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &panicked{r, string(debug.Stack())}
		}
	}()
	return dsl.Record(dsl.Program{Name: "random", Modules: []dsl.Module{alpha{bound(), p}, beta{bound(), p}}})
}

// panicked is a panic as an error.
type panicked struct {
	value any
	stack string
}

func (p *panicked) Error() string {
	_, at, _ := strings.Cut(p.stack, "panic(")
	return fmt.Sprintf("panic: %v\n%.2000s", p.value, at)
}

// String shows the steps as their words.
func (p Program) String() string {
	var b strings.Builder
	for _, s := range p.Steps {
		fmt.Fprintf(&b, "%s %d: %s\n", s.Class, s.ID, s.name())
	}
	return b.String()
}

func (s Step) name() string {
	switch {
	case s.Word < 0:
		return "any method"
	case s.Reply:
		return words[s.Word].name + ", the other half"
	}
	return words[s.Word].name
}

// Slots are the slots of each class.
type Slots struct {
	Model   dsl.Model
	Average dsl.Aggregator
	Other   dsl.Aggregator
	Codec   dsl.CodecSlot
	Data    dsl.DataSource
	Index   dsl.Index
	View    dsl.PeerSelector
	Gossip  dsl.Protocol
	Own     dsl.Component
	Engine  dsl.Backend
}

// Component is bound to all slots. Nothing calls it: package interpret has methods of its own.
type Component struct{}

// bound returns slots with a component each, without which package dsl refuses every step that uses them.
func bound() Slots {
	c := dsl.Go(Component{})
	return Slots{
		Model: dsl.Model{Bind: c}, Average: dsl.Aggregator{Bind: c}, Other: dsl.Aggregator{Bind: c}, Codec: dsl.CodecSlot{Bind: c}, Data: dsl.DataSource{Bind: c},
		Index: dsl.Index{Bind: c}, View: dsl.PeerSelector{Bind: c}, Gossip: dsl.Protocol{Bind: c}, Own: dsl.Component{Bind: c}, Engine: dsl.Backend{Bind: c},
	}
}

type alpha struct {
	Slots
	Program Program
}

// Body records the steps of the class.
func (a alpha) Body(g *dsl.Graph) {
	(&author{g: g, class: "alpha", other: "beta", slots: a.Slots}).write(a.Program)
}

type beta struct {
	Slots
	Program Program
}

// Body records the steps of the class.
func (b beta) Body(g *dsl.Graph) {
	(&author{g: g, class: "beta", other: "alpha", slots: b.Slots}).write(b.Program)
}

// author records the steps of one class.
type author struct {
	g            *dsl.Graph
	class, other string
	slots        Slots
	rng          *rand.Rand
	pool         []dsl.Value // values for later steps
	port         string      // of the present step
	depth        int         // the number of nested bodies
}

func (a *author) write(p Program) {
	a.pool = []dsl.Value{a.g.Const([]float32{1, 2, 3, 4}), a.g.Const(2)}
	for _, s := range p.Steps {
		if s.Class != a.class {
			continue
		}
		a.rng, a.port = rand.New(rand.NewPCG(s.Seed, 3)), fmt.Sprintf("p%d", s.ID)
		switch {
		case s.Word < 0:
			a.any()
		case s.Reply:
			words[s.Word].reply(a)
		default:
			words[s.Word].say(a)
		}
	}
}

// keep adds values for later steps.
func (a *author) keep(vs ...dsl.Value) {
	for _, v := range vs {
		if v.Type() != "?" { // refused
			a.pool = append(a.pool, v)
		}
	}
}

// tell adds a value and returns it to the host.
func (a *author) tell(v dsl.Value) {
	a.keep(v)
	a.g.AppEmit(a.port, v)
}

// value returns a value of the pool, preferably a late one.
func (a *author) value() dsl.Value {
	if a.rng.IntN(2) == 0 {
		return a.pool[len(a.pool)-1-a.rng.IntN(min(len(a.pool), 6))]
	}
	return one(a, a.pool...)
}

// floats returns a float32 tensor.
func (a *author) floats() dsl.Value {
	for range 20 {
		if v := a.value(); strings.HasPrefix(v.Type(), "float32") {
			return v
		}
	}
	return a.pool[0]
}

// chance returns true with probability 1/n.
func (a *author) chance(n int) bool { return a.rng.IntN(n) == 0 }

// one returns one of the given values.
func one[T any](a *author, of ...T) T { return of[a.rng.IntN(len(of))] }
