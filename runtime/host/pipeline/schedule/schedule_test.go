package schedule

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// text writes actions as F0 F1 B0 and so on.
func text(list []Action) string {
	var words []string
	for _, a := range list {
		kind := "F"
		if a.Backward {
			kind = "B"
		}
		words = append(words, fmt.Sprint(kind, a.Micro))
	}
	return strings.Join(words, " ")
}

// TestActions shows the schedule of three stages and four micro-batches, and that of more stages than micro-batches.
func TestActions(t *testing.T) {
	for _, c := range []struct {
		stage, stages, micros int
		want                  string
	}{
		{0, 3, 4, "F0 F1 F2 B0 F3 B1 B2 B3"},
		{1, 3, 4, "F0 F1 B0 F2 B1 F3 B2 B3"},
		{2, 3, 4, "F0 B0 F1 B1 F2 B2 F3 B3"},
		{0, 4, 2, "F0 F1 B0 B1"},
		{0, 1, 2, "F0 B0 F1 B1"},
	} {
		if got := text(Actions(c.stage, c.stages, c.micros)); got != c.want {
			t.Errorf("stage %d of %d, %d micro-batches: got %s, want %s", c.stage, c.stages, c.micros, got, c.want)
		}
	}
}

// pipeline is a run of all stages, in which messages arrive in any order between stages.
type pipeline struct {
	stages, micros int
	todo           [][]Action
	forward        [][]int // by stage: micro-batches whose inputs have arrived
	back           [][]int // by stage: micro-batches whose gradients have arrived
	held, most     []int
	waiting        []delivery // messages under way; those of one link arrive in order
}

// delivery is a message of a link to a stage.
type delivery struct {
	to       int
	backward bool
	micro    int
}

func newPipeline(stages, micros int) *pipeline {
	p := &pipeline{
		stages: stages, micros: micros, todo: make([][]Action, stages), forward: make([][]int, stages),
		back: make([][]int, stages), held: make([]int, stages), most: make([]int, stages),
	}
	for s := range stages {
		p.todo[s] = Actions(s, stages, micros)
	}
	for m := range micros {
		p.forward[0] = append(p.forward[0], m)
	}
	return p
}

// ready reports whether a stage has what its next action needs.
func (p *pipeline) ready(s int) bool {
	if len(p.todo[s]) == 0 {
		return false
	}
	a := p.todo[s][0]
	if a.Backward {
		return s == p.stages-1 || len(p.back[s]) > 0
	}
	return len(p.forward[s]) > 0
}

// act makes the next action of a stage.
func (p *pipeline) act(t *testing.T, s int) {
	a := p.todo[s][0]
	p.todo[s] = p.todo[s][1:]
	take := func(list *[]int) {
		if got := (*list)[0]; got != a.Micro {
			t.Fatalf("stage %d of %d: micro-batch %d arrives, the schedule wants %d", s, p.stages, got, a.Micro)
		}
		*list = (*list)[1:]
	}
	if a.Backward {
		if s < p.stages-1 {
			take(&p.back[s])
		}
		p.held[s]--
		if s > 0 {
			p.waiting = append(p.waiting, delivery{s - 1, true, a.Micro})
		}
		return
	}
	take(&p.forward[s])
	p.held[s]++
	p.most[s] = max(p.most[s], p.held[s])
	if s < p.stages-1 {
		p.waiting = append(p.waiting, delivery{s + 1, false, a.Micro})
	}
}

// deliver delivers the first message of the link of message i.
func (p *pipeline) deliver(i int) {
	link := p.waiting[i]
	i = slices.IndexFunc(p.waiting, func(d delivery) bool { return d.to == link.to && d.backward == link.backward })
	d := p.waiting[i]
	p.waiting = slices.Delete(p.waiting, i, i+1)
	if d.backward {
		p.back[d.to] = append(p.back[d.to], d.micro)
	} else {
		p.forward[d.to] = append(p.forward[d.to], d.micro)
	}
}

// TestInterleavings runs random interleavings of all stages up to 8 and micro-batches up to 32: each ends with all
// actions done, in the order in which messages arrive, and no stage holds more micro-batches than Held says.
func TestInterleavings(t *testing.T) {
	for stages := 1; stages <= 8; stages++ {
		for micros := 1; micros <= 32; micros++ {
			for seed := range uint64(8) {
				p := newPipeline(stages, micros)
				random := rand.New(rand.NewPCG(seed, uint64(stages*100+micros)))
				for p.move(t, random) {
				}
				for s := range stages {
					if len(p.todo[s]) > 0 {
						t.Fatalf("%d stages, %d micro-batches, seed %d: stage %d waits for ever before %s", stages, micros, seed, s, text(p.todo[s][:1]))
					}
					if got, most := p.most[s], Held(s, stages, micros); got != most {
						t.Fatalf("%d stages, %d micro-batches: stage %d holds %d, want %d", stages, micros, s, got, most)
					}
				}
			}
		}
	}
}

// move makes a random move that is possible, and reports whether there was one.
func (p *pipeline) move(t *testing.T, random *rand.Rand) bool {
	var able []int
	for s := range p.stages {
		if p.ready(s) {
			able = append(able, s)
		}
	}
	n := len(able) + len(p.waiting)
	if n == 0 {
		return false
	}
	if i := random.IntN(n); i < len(able) {
		p.act(t, able[i])
	} else {
		p.deliver(i - len(able))
	}
	return true
}
