package run

import (
	"bytes"
	"strings"
	"testing"
)

// TestStrangers: peers that cannot reach each other are reported after some seconds, with the reason and what to check, and
// not any more when the program runs.
func TestStrangers(t *testing.T) {
	b := newBoard([]class{{"client", []int{0, 1}}, {"server", []int{0}}})
	var out bytes.Buffer
	c := complaint{w: &out}
	take(t, b, `{"peer":"server-0","kind":"status","state":"waiting","missing":["client-0","client-1"],"apart":["client-0: connection refused","client-1: it has not been here yet"]}`)
	take(t, b, `{"peer":"client-0","kind":"status","state":"waiting","missing":["server-0"]}`)
	for _, at := range []float64{1, 4.9, 5, 6, 9.9, 10} {
		b.seconds = at
		c.tell(b)
	}
	lines := "client-0 waits for server-0\nserver-0 waits for client-0, client-1 (client-0: connection refused)\n" +
		"peers cannot reach each other: see whether a firewall or a proxy refuses connections between processes of this machine, and what the peers say with --verbose\n"
	if want := "after 5 s: 3 starting\n" + lines + "after 10 s: 3 starting\n" + lines; out.String() != want {
		t.Errorf("it tells\n%s\nwant\n%s", &out, want)
	}
	if table := strings.Join(b.table(10), "\n"); !strings.Contains(table, strings.TrimSuffix(lines, "\n")) {
		t.Errorf("the table is\n%s", table)
	}
	p := &page{board: b}
	if got := p.alerts(); !strings.Contains(got, "server-0 waits for client-0, client-1 (client-0: connection refused)") || !strings.Contains(got, "firewall") {
		t.Errorf("the page has %s", got)
	}
	if got := p.why(&b.rows[2]); got != "waits for client-0: connection refused" {
		t.Errorf("of the server the page says %q", got)
	}
	take(t, b, `{"peer":"server-0","kind":"status","state":"running"}`)
	take(t, b, `{"peer":"client-0","kind":"status","state":"running"}`)
	if got := b.strangers(); got != nil {
		t.Errorf("while the program runs it tells %q", got)
	}
}

// TestManyStrangers names the first of many.
func TestManyStrangers(t *testing.T) {
	b := newBoard([]class{{"client", make([]int, 9)}})
	for i := range b.rows {
		b.rows[i].missing = strings.Fields("a b c d e f g")
	}
	b.seconds = late
	lines := b.strangers()
	if len(lines) != 7 || lines[0] != "client-0 waits for a, b, c, d, e and 2 more" || lines[5] != "… and more" {
		t.Errorf("got %q", lines)
	}
}
