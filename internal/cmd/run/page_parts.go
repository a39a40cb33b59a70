package run

import (
	"fmt"
	"html"
	"maps"
	"slices"
	"strings"

	"github.com/bbgen/bbgen/runtime/host/live"
	"github.com/bbgen/bbgen/runtime/host/peer"
)

// cards renders the most important values.
func (p *page) cards() string {
	b := p.board
	list := []live.Card{
		{Value: b.states(), Name: fmt.Sprintf("of %d peers", len(b.rows))},
		{Value: fmt.Sprint(b.round), Name: "round"},
		{Value: fmt.Sprintf("%.0f s", b.seconds), Name: "since the start"},
	}
	if n := b.sent(); n > 0 {
		list = append(list, live.Card{Value: live.Bytes(n), Name: "sent"})
	}
	if n := b.killed(); n > 0 {
		list = append(list, live.Card{Value: fmt.Sprint(n), Name: "killed"})
	}
	for _, v := range b.means() {
		list = append(list, live.Card{Value: live.Number(v.x), Name: v.name})
	}
	return live.Cards(list...)
}

// alerts renders errors and missing peers.
func (p *page) alerts() string {
	var b strings.Builder
	for i := range p.board.rows {
		switch r := &p.board.rows[i]; r.state {
		case down, failed:
			b.WriteString(live.Alert("%s is %s: %s", r.name, r.state, p.why(r)))
		case killed:
			b.WriteString(live.Alert("%s is gone: it was killed, and does not come back", r.name))
		}
	}
	if lines := p.board.strangers(); lines != nil {
		b.WriteString(live.Alert("%s", strings.Join(lines, "; ")))
	}
	if p.board.broken > 0 {
		b.WriteString(live.Alert("%s", p.board.failures()))
	}
	return b.String()
}

// why returns what is wrong with a peer, or "".
func (p *page) why(r *row) string {
	switch {
	case r.state == down:
		return "it was killed, and comes back"
	case r.err != "":
		return r.err
	case r.state != done && p.lost[r.name] != "":
		return p.lost[r.name]
	case len(r.waits) > 0:
		return "waits for " + r.waits[0]
	case r.state == starting && len(r.apart) > 0:
		return "waits for " + r.apart[0]
	}
	return ""
}

// picture renders the modules of each class, with what is under way in its peers.
func (p *page) picture() string {
	var out strings.Builder
	for rows := p.board.rows; len(rows) > 0; { // those of a class are together
		class := rows[0].class
		var names []string
		var list []*peer.Picture
		for len(rows) > 0 && rows[0].class == class {
			names, list = append(names, rows[0].name), append(list, p.under[rows[0].name])
			rows = rows[1:]
		}
		out.WriteString(peer.SumPictures(names, list).HTML("picture-"+class, "Under way: "+class))
	}
	return out.String()
}

// maxCharts is the largest number of charts.
const maxCharts = 12

// charts renders the curves.
func (p *page) charts() string {
	var b strings.Builder
	names := slices.Sorted(maps.Keys(p.curves))
	for _, name := range names[:min(len(names), maxCharts)] {
		var series []live.Series
		for _, class := range slices.Sorted(maps.Keys(p.curves[name])) {
			series = append(series, live.Series{Name: class, Curve: p.curves[name][class].curve()})
		}
		b.WriteString(live.Chart("chart-value-"+name, name, "round", series...) + "\n")
	}
	b.WriteString(live.Chart("chart-traffic", "KiB a second", "seconds", live.Series{Name: "received", Curve: &p.in}, live.Series{Name: "sent", Curve: &p.out}))
	return "<div class=charts>\n" + b.String() + "\n</div>\n"
}

// maxRows is the largest number of peers in the table.
const maxRows = 200

// peersTable renders a line for each peer.
func (p *page) peersTable() string {
	var b strings.Builder
	e := html.EscapeString
	rows := p.board.rows
	for i := range rows[:min(len(rows), maxRows)] {
		r := &rows[i]
		name, class := e(r.name), "up"
		if at := p.at[r.name]; at != "" {
			name = fmt.Sprintf("<a href=\"%s\">%s</a>", e(at), name)
		}
		switch r.state {
		case down, failed, killed:
			class = "missing"
		case starting:
			class = "idle"
		}
		fmt.Fprintf(&b, "<tr><td>%s<td class=%s>%s<td class=n>%d<td class=n>%s<td class=n>%s<td class=n>%d<td>%s<td>%s<td>%s\n", name, class, r.state, r.round,
			live.Bytes(r.in), live.Bytes(r.out), r.killed, e(valueList(r.values)), e(strings.Join(r.missing, " ")), e(p.why(r)))
	}
	if n := len(rows) - maxRows; n > 0 {
		fmt.Fprintf(&b, "<tr><td colspan=9>… and %d more\n", n)
	}
	return live.Table("peers-table", "Peers",
		"<th>peer<th>state<th class=n>round<th class=n>received<th class=n>sent<th class=n>killed<th>values<th>does not hear<th>", b.String())
}
