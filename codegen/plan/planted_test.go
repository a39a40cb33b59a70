package plan

import (
	"math"
	"slices"
	"testing"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/pass"
)

// The functions whose plans are damaged: values in a line, sizes that only the run knows, branches and a loop.
const (
	inLine = `func @main(%x: float32[8,8]) -> (%y) {
  %a = MatMul(%x, %x)
  %b = MatMul(%a, %x)
  %c = MatMul(%a, %b)
  %y = MatMul(%c, %b)
}
`
	ofSize = `func @main(%x: float32[8]) -> (%y) {
  %at = NonZero(%x)
  %f = Cast(%at) {to = 1}
  %s = Softmax(%f)
  %y = MatMul(%s, %x)
}
`
	branching = `func @main(%x: float32[8,8], %go: bool[]) -> (%y) {
  %a = MatMul(%x, %x)
  %b = If(%go)
    then_branch() -> (%t) {
      %t = MatMul(%a, %x)
    }
    else_branch() -> (%e) {
      %e0 = MatMul(%x, %a)
      %e = MatMul(%e0, %a)
    }
  %y = MatMul(%b, %a)
}
`
	looping = `func @main(%x: float32[8,8], %n: int64[]) -> (%y) {
  %a = MatMul(%x, %x)
  %z = Loop(%n, _, %a)
    body(%i, %on, %c) -> (%go, %d) {
      %d0 = MatMul(%c, %a)
      %d = MatMul(%d0, %x)
      %go = Identity(%on)
    }
  %y = MatMul(%z, %a)
}
`
)

// TestPlanted damages right plans in each way that Verify must notice, and compares what it says.
func TestPlanted(t *testing.T) {
	for _, c := range []struct {
		name, text string
		damage     func(p *Plan)
		want       string
	}{
		{"a step is missing", inLine, func(p *Plan) { drop(p, "a") }, lostAt("b", "a")},
		{"the last step is missing", inLine, func(p *Plan) { drop(p, "y") }, `output "y": ` + lostOf("y")},
		{"two steps are exchanged", inLine, func(p *Plan) { p.Steps[3], p.Steps[5] = p.Steps[5], p.Steps[3] }, lostAt("c", "b")},
		{"a value is written over one that its step reads", inLine, func(p *Plan) {
			at(p, "b").Off = at(p, "a").Off
			p.Steps = slices.Delete(p.Steps, 2, 3)
		}, `node "b" (MatMul): value "b" (float32[8,8]) is written while value "a" is needed, in the same memory`},
		{"room is made where a value is that is needed", inLine, func(p *Plan) { at(p, "b").Off = at(p, "a").Off }, lostAt("b", "a")},
		{"half of a value is overwritten", inLine, func(p *Plan) { at(p, "c").Off = at(p, "b").Off + 128 }, lostAt("c", "b")},
		{"a value has no place", inLine, func(p *Plan) {
			p.Vars = slices.DeleteFunc(p.Vars, func(x *Var) bool { return x == at(p, "c") })
		}, `value "c" (float32[8,8]) has no place`},
		{"a place is not aligned", inLine, func(p *Plan) { at(p, "a").Off = 3 }, `value "a" (float32[8,8]) is at 3 of an arena of 768 bytes`},
		{"a place is before the arena", inLine, func(p *Plan) { at(p, "a").Off = -64 }, `value "a" (float32[8,8]) is at -64 of an arena of 768 bytes`},
		{"a place is behind the arena", inLine, func(p *Plan) { at(p, "a").Off = 1 << 20 }, `value "a" (float32[8,8]) is at 1048576 of an arena of 768 bytes`},
		{"the arena is too small", inLine, func(p *Plan) { p.Arena = 64 }, `value "a" (float32[8,8]) is at 0 of an arena of 64 bytes`},
		{"a length that no machine has", inLine, func(p *Plan) { at(p, "a").Len = ir.C(math.MaxInt) }, `value "a" (float32[8,8]) is at 0 of an arena of 768 bytes`},
		{"a buffer that is not there", ofSize, func(p *Plan) { at(p, "f").Off = 9 }, `value "f" (float32[1,at_count]) is in buffer 9 of 1`},
		{"a size that no step binds", ofSize, func(p *Plan) { call(p, "at").Binds = nil }, `node "at" (NonZero): size "at_count" is used before it is known`},
		{"a branch does not compute its result", branching, func(p *Plan) {
			s := branch(p)
			s.Else = s.Else[:len(s.Else)-1]
		}, lostAt("y", "b")},
		{"a branch reads what the other one computes", branching, func(p *Plan) {
			s := branch(p)
			s.Then, s.Else = s.Else[2:], s.Then
		}, `node "b" (If): node "e" (MatMul): ` + lostOf("e0")},
		{"the condition is computed behind the branches", branching, func(p *Plan) {
			branch(p).Cond = at(p, "y")
		}, `node "b" (If): ` + lostOf("y")},
		{"a loop begins without a condition", looping, func(p *Plan) { loop(p).Start = nil },
			`node "z" (Loop): value "on" (bool[]) is read, which no step has written, or another value is in its place`},
		{"a loop does not begin with its value", looping, func(p *Plan) { loop(p).Start = loop(p).Start[:1] }, `node "z" (Loop): ` + lostAt("d0", "c")},
		{"an iteration overwrites what it reads", looping, func(p *Plan) { at(p, "d0").Off = at(p, "a").Off }, `node "z" (Loop): ` + lostAt("d0", "a")},
		{"an iteration overwrites what the next one reads", looping, func(p *Plan) { at(p, "d").Off = at(p, "a").Off }, `node "z" (Loop): ` + lostAt("d0", "a")},
	} {
		p := planned(t, c.text)
		c.damage(p)
		if err := p.Verify(); err == nil || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.name, err, c.want)
		}
	}
}

// planned returns the plan of a function, in which nothing is wrong.
func planned(t *testing.T, text string) *Plan {
	t.Helper()
	m, err := ir.Parse("m", "module \"m\"\nopset 20\n\n"+text)
	if err == nil {
		err = pass.Run(m, []*pass.Pass{pass.Infer}, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	p, err := Flat(m.Main, nil)
	if err == nil {
		err = p.Verify()
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func lostOf(value string) string {
	return `value "` + value + `" (float32[8,8]) is read, which no step has written, or another value is in its place`
}

func lostAt(node, value string) string { return `node "` + node + `" (MatMul): ` + lostOf(value) }

// at returns the variable of the value with a name.
func at(p *Plan, name string) *Var {
	for v, x := range p.byValue {
		if v.Name == name {
			return x
		}
	}
	return nil
}

// drop removes the call of a node.
func drop(p *Plan, node string) {
	p.Steps = slices.DeleteFunc(p.Steps, func(s Step) bool { return s == Step(call(p, node)) })
}

// call returns the call of a node, which is in no body.
func call(p *Plan, node string) *Call {
	for _, s := range p.Steps {
		if c, ok := s.(*Call); ok && c.Node.Name == node {
			return c
		}
	}
	return nil
}

func branch(p *Plan) *If { return found[*If](p) }

func loop(p *Plan) *Loop { return found[*Loop](p) }

// found returns the first step of a kind.
func found[S Step](p *Plan) (s S) {
	for _, x := range p.Steps {
		if y, ok := x.(S); ok {
			return y
		}
	}
	return s
}
