package tensor

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
)

// transition is a row of the table in doc.go.
type transition struct {
	from   string // the states of d before the call; "-": the call has no d
	call   string // a key of calls
	to     string // the state of the result: of d, if the call returns nothing
	writes string // who may write to the result's elements
	frees  string // who returns their memory
	d, x   int    // what the call adds to the reference counts of the memory that d had and of x's
}

// Who may write to elements, and who returns their memory.
const (
	caller    = "caller"    // no other tensor has the elements
	nobody    = "nobody"    // others may read them
	collector = "collector" // the memory has no reference count, or a reference that is never released
	reset     = "Reset"     // the tensor has a reference
	holder    = "holder"    // another tensor has a reference, or the caller of NewMemory or NewDense
	none      = "-"         // there are no elements
)

// transitions are the rows of the table in doc.go, in its order.
var transitions = []transition{
	{"-", "DenseOf(x.Data)", "alias", nobody, collector, 0, 0},
	{"-", "DenseIn(m, x.Data)", "borrowed", nobody, holder, 0, 0},
	{"-", "NewDense(s)", "borrowed", caller, holder, 0, 0},
	{"empty plain alias borrowed", "d.Reset()", "empty", none, none, 0, 0},
	{"held", "d.Reset()", "empty", none, none, -1, 0},
	{"empty plain borrowed", "d.Resize(s)", "plain", caller, collector, 0, 0},
	{"alias", "d.Resize(s)", "alias", nobody, collector, 0, 0},
	{"held", "d.Resize(s)", "plain", caller, collector, -1, 0},
	{"empty plain alias borrowed", "d.Make(small s)", "plain", caller, collector, 0, 0},
	{"held", "d.Make(small s)", "plain", caller, collector, -1, 0},
	{"empty plain alias borrowed", "d.Make(large s)", "held", caller, reset, 0, 0},
	{"held", "d.Make(large s)", "held", caller, reset, -1, 0},
	{"empty plain alias borrowed", "d.Set(small x)", "plain", caller, collector, 0, 0},
	{"held", "d.Set(small x)", "plain", caller, collector, -1, 0},
	{"empty plain alias borrowed", "d.Set(plain x)", "plain", caller, collector, 0, 0},
	{"held", "d.Set(plain x)", "plain", caller, collector, -1, 0},
	{"empty plain alias borrowed", "d.Set(counted x)", "held", nobody, reset, 0, 1},
	{"held", "d.Set(counted x)", "held", nobody, reset, -1, 1},
	{"held", "d.Set(d)", "held", nobody, reset, 0, 0},
	{"borrowed", "d.Set(d)", "held", nobody, reset, 1, 0},
	{"empty plain alias borrowed", "d.Share(plain x)", "alias", nobody, collector, 0, 0},
	{"held", "d.Share(plain x)", "alias", nobody, collector, -1, 0},
	{"empty plain alias borrowed", "d.Share(counted x)", "held", nobody, reset, 0, 1},
	{"held", "d.Share(counted x)", "held", nobody, reset, -1, 1},
	{"plain alias", "c := d", "alias", nobody, collector, 0, 0},
	{"held borrowed", "c := d", "borrowed", nobody, holder, 0, 0},
	{"plain alias held borrowed", "d.Clone()", "plain", caller, collector, 0, 0},
	{"plain alias", "d.Lend()", "tensor", nobody, collector, 0, 0},
	{"held borrowed", "d.Lend()", "lent tensor", nobody, holder, 0, 0},
	{"plain alias", "d.Tensor()", "tensor", nobody, collector, 0, 0},
	{"held borrowed", "d.Tensor()", "tensor", nobody, collector, 1, 0},
	{"plain alias", "Lent(d.Lend())", "alias", nobody, collector, 0, 0},
	{"held borrowed", "Lent(d.Lend())", "borrowed", nobody, holder, 0, 0},
}

// scene is what a call works on: d in some state, and another tensor that has the elements of an alias and of a
// borrowed d, and a reference to the memory of a held d.
type scene struct {
	d, other, x, result Dense[float32]
	tensor              *Tensor // the result, if it is a Tensor
	memory              *Memory // that d had before the call
}

// states put d into a state. All but the first give it large elements.
var states = map[string]func(s *scene){
	"-":     func(*scene) {},
	"empty": func(*scene) {},
	"plain": func(s *scene) { s.d = filled(Large, 1) },
	"alias": func(s *scene) {
		s.other = filled(Large, 1)
		s.d.Share(s.other)
	},
	"held": func(s *scene) {
		s.d.Make(Large)
		fill(s.d, 1)
		s.other.Share(s.d)
	},
	"borrowed": func(s *scene) {
		s.other.Set(counted(1))
		s.d = s.other
	},
}

const (
	every = "empty plain alias held borrowed"
	some  = "plain alias held borrowed" // d has elements
)

// calls are the calls of the table, and the states of d in which it has them. One that returns a value stores it.
var calls = map[string]struct {
	from string
	do   func(s *scene)
}{
	"DenseOf(x.Data)": {"-", func(s *scene) {
		s.x = filled(4, 2)
		s.result = DenseOf(s.x.Data, 4)
	}},
	"DenseIn(m, x.Data)": {"-", func(s *scene) {
		s.x = counted(2)
		s.result = DenseIn(s.x.memory, s.x.Data, Large)
	}},
	"NewDense(s)":     {"-", func(s *scene) { s.result = NewDense[float32](Large) }},
	"d.Reset()":       {every, func(s *scene) { s.d.Reset() }},
	"d.Resize(s)":     {every, func(s *scene) { s.d.Resize(4, Large/4) }},
	"d.Make(small s)": {every, func(s *scene) { s.d.Make(4) }},
	"d.Make(large s)": {every, func(s *scene) { s.d.Make(2, Large) }},
	"d.Set(small x)": {every, func(s *scene) {
		s.x = filled(4, 2)
		s.d.Set(s.x)
	}},
	"d.Set(plain x)": {every, func(s *scene) {
		s.x = filled(Large, 2)
		s.d.Set(s.x)
	}},
	"d.Set(counted x)": {every, func(s *scene) {
		s.x = counted(2)
		s.d.Set(s.x)
	}},
	"d.Set(d)": {"held borrowed", func(s *scene) { s.d.Set(s.d) }},
	"d.Share(plain x)": {every, func(s *scene) {
		s.x = filled(Large, 2)
		s.d.Share(s.x)
	}},
	"d.Share(counted x)": {every, func(s *scene) {
		s.x = counted(2)
		s.d.Share(s.x)
	}},
	"c := d":         {some, func(s *scene) { s.result = s.d }},
	"d.Clone()":      {some, func(s *scene) { s.result = s.d.Clone() }},
	"d.Lend()":       {some, func(s *scene) { s.tensor = s.d.Lend() }},
	"d.Tensor()":     {some, func(s *scene) { s.tensor = s.d.Tensor() }},
	"Lent(d.Lend())": {some, func(s *scene) { s.result = Lent[float32](s.d.Lend()) }},
}

func filled(n int, v float32) Dense[float32] {
	x := DenseOf(make([]float32, n), n)
	fill(x, v)
	return x
}

// counted returns a large tensor in memory with a reference count, which is the caller's.
func counted(v float32) Dense[float32] {
	x := NewDense[float32](Large)
	fill(x, v)
	return x
}

func fill(x Dense[float32], v float32) {
	for i := range x.Data {
		x.Data[i] = v
	}
}

// TestTransitions makes each call of the table in each of its states, and compares what it says with what happens.
func TestTransitions(t *testing.T) {
	for _, row := range transitions {
		for from := range strings.FieldsSeq(row.from) {
			t.Run(from+" "+row.call, func(t *testing.T) {
				s := &scene{}
				states[from](s)
				if got := s.state(&s.d); got != from && from != "-" {
					t.Fatalf("d is %s before the call", got)
				}
				row.check(t, s)
			})
		}
	}
}

// TestTransitionsAreComplete: each call has one row for each state of d in which it can be made.
func TestTransitionsAreComplete(t *testing.T) {
	times := map[string]int{}
	for _, row := range transitions {
		for from := range strings.FieldsSeq(row.from) {
			times[from+" "+row.call]++
		}
	}
	for name, call := range calls {
		for from := range states {
			want := 0
			if slices.Contains(strings.Fields(call.from), from) {
				want = 1
			}
			if got := times[from+" "+name]; got != want {
				t.Errorf("%s of d that is %s is in %d rows, want %d", name, from, got, want)
			}
		}
	}
}

// check makes the call and compares it with the row.
func (row transition) check(t *testing.T, s *scene) {
	s.memory = s.d.memory
	d := references(s.memory)
	calls[row.call].do(s)
	result := &s.d
	if s.result.Data != nil {
		result = &s.result
	}
	if s.tensor != nil {
		s.result = DenseOf(Data[float32](s.tensor), s.tensor.Shape...)
		result = &s.result
	}
	if got := s.state(result); got != row.to {
		t.Errorf("the result is %s, want %s", got, row.to)
	}
	if got := references(s.memory) - d; got != row.d {
		t.Errorf("the memory of d has %+d references, want %+d", got, row.d)
	}
	if got := max(references(s.x.memory)-1, 0); got != row.x {
		t.Errorf("the memory of x has %+d references, want %+d", got, row.x)
	}
	if got := s.writes(result); got != row.writes {
		t.Errorf("who may write is %s, want %s", got, row.writes)
	}
	if got := s.frees(result); got != row.frees {
		t.Errorf("the memory is returned by %s, want %s", got, row.frees)
	}
}

func references(m *Memory) int {
	if m == nil {
		return 0
	}
	return int(m.shares.Load())
}

// state returns the state of d, or of the tensor that is the result.
func (s *scene) state(d *Dense[float32]) string {
	switch {
	case s.tensor != nil && s.tensor.IsLent():
		return "lent tensor"
	case s.tensor != nil:
		return "tensor"
	case d.Len() == 0:
		return "empty"
	case d.memory != nil && d.holder == d:
		return "held"
	case d.memory != nil:
		return "borrowed"
	case s.isElsewhere(d):
		return "alias"
	}
	return "plain"
}

// isElsewhere reports whether another tensor has the elements of d.
func (s *scene) isElsewhere(d *Dense[float32]) bool {
	return slices.ContainsFunc([]*Dense[float32]{&s.d, &s.other, &s.x}, func(o *Dense[float32]) bool {
		return o != d && o.Len() > 0 && d.Len() > 0 && &o.Data[0] == &d.Data[0]
	})
}

// writes returns who may write to d: the caller, if no other tensor changes with it.
func (s *scene) writes(d *Dense[float32]) string {
	if d.Len() == 0 {
		return none
	}
	fill(*d, 9)
	for _, o := range []*Dense[float32]{&s.d, &s.other, &s.x} {
		if o != d && slices.Contains(o.Data, 9) {
			return nobody
		}
	}
	return caller
}

// frees returns who returns the memory of d.
func (s *scene) frees(d *Dense[float32]) string {
	m := d.memory
	if s.tensor != nil {
		m = s.tensor.memory
	}
	if d.Len() == 0 {
		return none
	}
	if m == nil {
		return collector
	}
	before := references(m)
	if d.Reset(); references(m) < before {
		return reset
	}
	return holder
}

// TestTransitionsAreDocumented compares the table in doc.go with the rows that TestTransitions tests.
func TestTransitionsAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	if want := table(); !bytes.Contains(doc, []byte(want)) {
		t.Errorf("doc.go has another table than this, of the rows that are tested:\n%s", want)
	}
}

// table returns the rows as a comment.
func table() string {
	var b, out strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "d is\tcall\tresult is\tmay write\treturns memory\td's\tx's")
	for _, r := range transitions {
		from := strings.ReplaceAll(r.from, " ", ", ")
		fmt.Fprintln(w, strings.Join([]string{from, r.call, r.to, r.writes, r.frees, change(r.d), change(r.x)}, "\t"))
	}
	w.Flush()
	for s := bufio.NewScanner(strings.NewReader(b.String())); s.Scan(); {
		fmt.Fprintf(&out, "//	%s\n", strings.TrimRight(s.Text(), " "))
	}
	return out.String()
}

// change returns what is added to a reference count.
func change(n int) string {
	if n == 0 {
		return "0"
	}
	return fmt.Sprintf("%+d", n)
}
