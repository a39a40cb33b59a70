package run

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// jsonText is a text of JSON that grows. The commands print three objects: package encoding/json would be 0.2 MB of each binary.
// The tags of their fields are for programs that read them; a test compares both.
type jsonText []byte

// object appends an object with the fields that f appends.
func (b *jsonText) object(f func()) {
	*b = append(*b, '{')
	f()
	*b = append(*b, '}')
}

// objects appends a field that is a list of n objects.
func (b *jsonText) objects(name string, n int, f func(i int)) {
	b.key(name)
	*b = append(*b, '[')
	for i := range n {
		if i > 0 {
			*b = append(*b, ',')
		}
		b.object(func() { f(i) })
	}
	*b = append(*b, ']')
}

// key begins a field.
func (b *jsonText) key(name string) {
	if (*b)[len(*b)-1] != '{' {
		*b = append(*b, ',')
	}
	b.quote(name)
	*b = append(*b, ':')
}

// string appends a field that is a string.
func (b *jsonText) string(name, value string) {
	b.key(name)
	b.quote(value)
}

// int appends a field that is a whole number.
func (b *jsonText) int(name string, x int) {
	b.key(name)
	*b = strconv.AppendInt(*b, int64(x), 10)
}

// float appends a field that is a number, or null for those that JSON does not have.
func (b *jsonText) float(name string, x float64) {
	b.key(name)
	if math.IsNaN(x) || math.IsInf(x, 0) {
		*b = append(*b, "null"...)
		return
	}
	format := byte('f')
	if abs := math.Abs(x); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	*b = strconv.AppendFloat(*b, x, format, -1, 64)
}

// quote appends a string in quotes. Bytes that are not UTF-8 become U+FFFD. The characters of HTML's syntax and the line
// ends of JavaScript are escaped, too: the text may be put into a page.
func (b *jsonText) quote(s string) {
	*b = append(*b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			*b = append(*b, '\\', byte(r))
		case r < ' ' || strings.ContainsRune("<>&\u2028\u2029", r):
			*b = fmt.Appendf(*b, `\u%04x`, r)
		default:
			*b = utf8.AppendRune(*b, r)
		}
	}
	*b = append(*b, '"')
}

func (r *result) json() (b jsonText) {
	b.object(func() {
		b.string("name", r.Name)
		b.int("threads", r.Threads)
		b.int("runs", r.Runs)
		b.float("load_us", r.Load)
		b.float("median_us", r.Median)
		b.float("p20_us", r.P20)
		b.float("best_us", r.Best)
		b.float("cpu_us", r.CPU)
		b.float("allocs_per_run", r.Allocs)
	})
	return b
}

func (d *description) json() (b jsonText) {
	b.object(func() {
		b.string("name", d.Name)
		b.string("file", d.File)
		b.int("weight_bytes", d.Weights)
		b.int("arena_bytes", d.Arena)
		b.string("level", d.Level)
		for _, ports := range []struct {
			name string
			list []port
		}{{"inputs", d.Inputs}, {"outputs", d.Outputs}} {
			b.objects(ports.name, len(ports.list), func(i int) {
				b.string("name", ports.list[i].Name)
				b.string("type", ports.list[i].Type)
			})
		}
	})
	return b
}

func (p *profile) json() (b jsonText) {
	b.object(func() {
		b.string("name", p.Name)
		b.string("level", p.Level)
		b.int("threads", p.Threads)
		b.int("runs", p.Runs)
		b.key("peak")
		b.object(func() {
			b.float("gflops", p.Peak.GFLOPS)
			b.float("gbs", p.Peak.GBS)
		})
		b.float("plain_us", p.Plain)
		b.float("total_us", p.Total)
		b.float("other_us", p.Other)
		b.objects("nodes", len(p.Nodes), func(i int) { p.Nodes[i].appendJSON(&b) })
	})
	return b
}

func (n *nodeProfile) appendJSON(b *jsonText) {
	b.string("node", n.Node)
	b.string("op", n.Op)
	b.string("call", n.Call)
	b.int("times", n.Times)
	b.float("us", n.Time)
	b.float("best_us", n.Best)
	b.float("share", n.Share)
	b.float("gflops", n.GFLOPS)
	b.float("gbs", n.GBS)
	b.string("bound", n.Bound)
	b.float("of", n.Of)
}
