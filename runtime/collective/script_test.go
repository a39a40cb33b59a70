package collective

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// TestScripts plays the scripts in testdata, which show the messages of calls one by one. All values are of float32,
// in chunks of two elements; the first line says what is called:
//
//	ranks N KIND OP ALGORITHM IFLOST [ROOT]  makes the groups of N ranks; with enter, stream 0 is Enter, stream 1 the call
//	begin R X,Y,…[;X,Y,…]        rank R begins a call with a value, of rows that a semicolon separates; a barrier has none
//	enter R STATE                rank R calls Enter
//	pull R                       takes all messages of rank R, each of which gets a number
//	deliver N…                   delivers messages; drop N loses one
//	settle                       pulls and delivers all until nothing moves, and prints only results
//	down R LOST                  rank R learns that a rank is lost
//	stop R                       rank R is gone: what it has sent and what it is sent is lost
//	restart R                    rank R is restored from its snapshot; anew R restarts it without one
//	abort R                      rank R does not take part in its next call
//	ask R CALL                   rank R asks those for which a call waits
//	show R                       prints the epoch, the members and whom the last call waits for
func TestScripts(t *testing.T) {
	golden.Run(t, "testdata/*.txtar", func(t *testing.T, a *golden.Archive) {
		s := &script{arrived: map[int]bool{}}
		for line := range strings.Lines(a.Get("script")) {
			line = strings.TrimSpace(line)
			s.printf("> %s\n", line)
			if line != "" && line[0] != '#' {
				if err := s.do(strings.Fields(line)); err != nil {
					s.printf("error: %v\n", err)
				}
			}
		}
		a.Check("out/transcript", s.out.String())
	})
}

type script struct {
	groups  []*Group
	stopped []bool
	stream  int // of the calls
	flying  []*packet
	arrived map[int]bool // messages, by number
	out     strings.Builder
}

func (s *script) printf(format string, args ...any) { fmt.Fprintf(&s.out, format, args...) }

func (s *script) do(f []string) error {
	if f[0] == "ranks" {
		return s.ranks(f[1:])
	}
	n, err := numbers(f[1:])
	switch {
	case f[0] == "begin" || f[0] == "enter":
		return s.begin(f)
	case err != nil:
		return err
	}
	switch f[0] {
	case "pull":
		s.pull(n[0], true)
	case "deliver":
		for _, i := range n {
			if err := s.deliver(i); err != nil {
				return err
			}
		}
	case "drop":
		s.flying[n[0]-1] = nil
	case "settle":
		return s.settle()
	case "down":
		s.groups[n[0]].Down(n[1])
		s.results(n[0])
	case "stop":
		s.stopped[n[0]] = true
	case "restart":
		return s.restart(n[0])
	case "anew":
		return s.anew(n[0])
	case "abort":
		err := s.groups[n[0]].Abort(s.stream)
		s.results(n[0])
		return err
	case "ask":
		s.groups[n[0]].Ask(s.stream, uint64(n[1]))
	case "show":
		s.show(n[0])
	default:
		return fmt.Errorf("what is %s?", f[0])
	}
	return nil
}

func numbers(words []string) (n []int, err error) {
	for _, w := range words {
		x, err := strconv.Atoi(w)
		if err != nil {
			return nil, err
		}
		n = append(n, x)
	}
	return n, nil
}

// named returns the number of a name in a list.
func named[T ~uint8](names []string, name string) (T, error) {
	if i := slices.Index(names, name); i >= 0 {
		return T(i), nil
	}
	return 0, fmt.Errorf("%s is none of %v", name, names)
}

func (s *script) ranks(f []string) error {
	n, err := strconv.Atoi(f[0])
	if err != nil {
		return err
	}
	var streams []Spec
	if f[1] == "enter" {
		streams, s.stream, f = append(streams, Spec{Kind: Enter, Elem: tensor.Uint8}), 1, append(f[:1:1], f[2:]...)
	}
	c := Spec{Elem: tensor.Float32}
	var lost IfLost
	if c.Kind, err = named[Kind](kindNames[:], f[1]); err != nil {
		return err
	}
	if c.Op, err = named[Op](opNames[:], f[2]); err != nil {
		return err
	}
	if c.Algorithm, err = named[Algorithm](algorithmNames[:], f[3]); err != nil {
		return err
	}
	if lost, err = named[IfLost](ifLostNames[:], f[4]); err != nil {
		return err
	}
	if len(f) > 5 {
		if c.Root, err = strconv.Atoi(f[5]); err != nil {
			return err
		}
	}
	for self := range n {
		g, err := New(Config{Self: self, Ranks: n, Streams: append(streams, c), IfLost: lost, Chunk: 8})
		if err != nil {
			return err
		}
		s.groups, s.stopped = append(s.groups, g), append(s.stopped, false)
	}
	return nil
}

func (s *script) begin(f []string) error {
	rank, err := strconv.Atoi(f[1])
	if err != nil {
		return err
	}
	g := s.groups[rank]
	switch {
	case f[0] == "enter":
		err = g.Begin(0, Value{Rows: len(f[2]), Row: 1, Data: []byte(f[2])})
	case len(f) < 3:
		err = g.Begin(s.stream, Value{})
	default:
		var v Value
		if v, err = value(f[2]); err == nil {
			err = g.Begin(s.stream, v)
		}
	}
	s.results(rank)
	return err
}

// value reads the rows of a value.
func value(text string) (v Value, err error) {
	for row := range strings.SplitSeq(text, ";") {
		v.Rows++
		v.Row = 0
		for word := range strings.SplitSeq(row, ",") {
			x, err := strconv.ParseFloat(word, 32)
			if err != nil {
				return v, err
			}
			v.Row++
			v.Data = binary.LittleEndian.AppendUint32(v.Data, math.Float32bits(float32(x)))
		}
	}
	b := aligned(len(v.Data))
	copy(b, v.Data)
	v.Data = b
	return v, nil
}

// pull takes the messages of a rank, and prints them if they are wanted.
func (s *script) pull(rank int, print bool) (moved bool) {
	g := s.groups[rank]
	for to := range s.groups {
		for g.Waits(to) {
			m, ok := g.Pull(to)
			if !ok {
				break
			}
			m.Data = slices.Clone(m.Data)
			s.flying = append(s.flying, &packet{rank, to, m})
			moved = true
			if print {
				s.printf("%d: %d to %d: %s\n", len(s.flying), rank, to, messageText(&m))
			}
		}
	}
	s.results(rank)
	return moved
}

var typeNames = [numTypes]string{"data", "ready", "failed", "lost", "decided", "left out", "ask", "gone", "join", "welcome"}

func messageText(m *Message) string {
	text := fmt.Sprintf("%s, call %d", typeNames[m.Type], m.Call)
	if m.Epoch.Number > 1 {
		text += fmt.Sprintf(" of epoch %d", m.Epoch.Number)
	}
	switch {
	case m.Type == Data && m.Chunk == lastChunk:
		return text + fmt.Sprintf(": confirmation %d", m.Step)
	case m.Type == Data:
		return text + fmt.Sprintf(": chunk %d, step %d, of %d elements: %v", m.Chunk, m.Step, m.Length, view[float32](aligned4(m.Data)))
	case len(m.Data) > 0:
		return text + fmt.Sprintf(": %d bytes", len(m.Data))
	}
	return text
}

func aligned4(b []byte) []byte {
	c := aligned(len(b) / 4 * 4)
	copy(c, b)
	return c
}

func (s *script) deliver(number int) error {
	if number > len(s.flying) {
		return fmt.Errorf("there are %d messages", len(s.flying))
	}
	p := s.flying[number-1]
	s.arrived[number] = true
	if p == nil || s.stopped[p.to] || s.stopped[p.from] {
		return fmt.Errorf("message %d is lost", number)
	}
	m := p.Message
	m.Data = slices.Clone(m.Data)
	err := s.groups[p.to].Receive(p.from, &m)
	s.results(p.to)
	return err
}

func (s *script) settle() error {
	for moved := true; moved; {
		moved = false
		for r := range s.groups {
			moved = !s.stopped[r] && s.pull(r, false) || moved
		}
		for i, p := range s.flying {
			if p == nil || s.arrived[i+1] || s.stopped[p.to] || s.stopped[p.from] {
				continue
			}
			moved = true
			if err := s.deliver(i + 1); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *script) restart(rank int) error {
	b, err := s.groups[rank].AppendBinary(nil)
	if err != nil {
		return err
	}
	g, err := New(s.groups[rank].config)
	if err != nil {
		return err
	}
	s.groups[rank], s.stopped[rank] = g, false
	return g.UnmarshalBinary(b)
}

func (s *script) anew(rank int) error {
	c := s.groups[rank].config
	c.Life++
	g, err := New(c)
	if err != nil {
		return err
	}
	s.groups[rank], s.stopped[rank] = g, false
	for r, other := range s.groups {
		if r != rank && !s.stopped[r] {
			other.Restarted(rank)
			s.results(r)
		}
	}
	return nil
}

// results prints the results of a rank, and what it has refused.
func (s *script) results(rank int) {
	g := s.groups[rank]
	for {
		r, ok := g.Done()
		if !ok {
			break
		}
		what := fmt.Sprint("call ", r.Call)
		if s.stream > 0 && r.Stream == 0 {
			what = fmt.Sprint("entering ", r.Call)
		}
		if r.Err != nil {
			s.printf("rank %d: %s: error: %v\n", rank, what, r.Err)
			continue
		}
		if s.stream > 0 && r.Stream == 0 {
			s.printf("rank %d: %s: state %q of %d ranks\n", rank, what, r.Data, r.Ranks)
			continue
		}
		s.printf("rank %d: %s: %v of %d ranks\n", rank, what, view[float32](aligned4(r.Data)), r.Ranks)
	}
	for _, err := range g.Refused() {
		s.printf("rank %d: refused: %v\n", rank, err)
	}
}

func (s *script) show(rank int) {
	g := s.groups[rank]
	s.printf("rank %d: epoch %d, members %v, %d calls", rank, g.Epoch().Number, g.Members(), g.Calls(s.stream))
	if n := g.Calls(s.stream); n > 0 {
		s.printf(", the last waits for %v", g.Awaits(s.stream, n-1))
	}
	if err := g.Err(); err != nil {
		s.printf(", error: %v", err)
	}
	s.printf("\n")
}
