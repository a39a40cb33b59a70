package status

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"
	"time"

	"github.com/bbgen/bbgen/runtime/host/live"
)

// Page returns the page for users.
func (r *Report) Page() *live.Page {
	return &live.Page{Title: r.Name, Of: "of " + r.Program, Parts: []live.Part{
		{ID: "cards", HTML: r.cards()},
		{ID: "alerts", HTML: r.alerts()},
		{ID: "picture", HTML: r.Picture.HTML("picture", "Under way")},
		{ID: "charts", HTML: r.History.charts()},
		{ID: "peers", HTML: r.peersTable()},
		{ID: "program", HTML: r.numbersTable()},
		{ID: "events", HTML: r.History.events.HTML()},
		{ID: "engine", HTML: r.engineTable()},
		{ID: "about", HTML: r.about()},
	}}
}

// cards returns the most important numbers.
func (r *Report) cards() string {
	up := 0
	for i := range r.Peers {
		if r.Peers[i].Up {
			up++
		}
	}
	round := live.Card{Value: fmt.Sprint(r.Status.Latest), Name: "latest execution"}
	if r.Status.Rounds > 0 {
		round = live.Card{Value: fmt.Sprint(r.Status.Rounds), Name: "latest round"}
	}
	return live.Cards(
		live.Card{Value: r.Status.State, Name: "for " + r.Uptime.Round(time.Second).String()},
		round,
		live.Card{Value: fmt.Sprintf("%d of %d", up, len(r.Peers)), Name: "peers are up"},
		live.Card{Value: live.Bytes(r.Status.In), Name: "received"},
		live.Card{Value: live.Bytes(r.Status.Out), Name: "sent"},
		live.Card{Value: fmt.Sprint(r.Status.Live), Name: "executions live"},
		live.Card{Value: fmt.Sprint(r.Status.Outbound), Name: "envelopes not acknowledged"},
	)
}

// alerts returns the problems.
func (r *Report) alerts() string {
	var b strings.Builder
	if list := r.Status.Missing; len(list) > maxNamed {
		b.WriteString(live.Alert("Missing: %s and %d more", strings.Join(list[:maxNamed], ", "), len(list)-maxNamed))
	} else if len(list) > 0 {
		b.WriteString(live.Alert("Missing: %s", strings.Join(list, ", ")))
	}
	if r.Status.Unsaved != "" {
		b.WriteString(live.Alert("No snapshot can be written: %s", r.Status.Unsaved))
	}
	if list := r.Status.Awaited; len(list) > 0 {
		b.WriteString(live.Alert("Waiting: %s", strings.Join(list, ", ")))
	}
	for _, text := range r.Status.Waits {
		b.WriteString(live.Alert("Waits for %s", text))
	}
	return b.String()
}

// maxNamed is how many missing peers are named.
const maxNamed = 50

// numbersTable returns the numbers that the program reports.
func (r *Report) numbersTable() string {
	if len(r.Emitted)+len(r.Counters)+len(r.Records) == 0 {
		return ""
	}
	var b strings.Builder
	row := func(n Number, note string) {
		fmt.Fprintf(&b, "<tr><td>%s<td class=n>%.6g<td>%s\n", html.EscapeString(n.Name), n.Value, note)
	}
	for _, n := range r.Emitted {
		row(n, fmt.Sprintf("in round %d", n.Round))
	}
	for _, n := range r.Counters {
		row(n, "counted")
	}
	for _, n := range r.Records {
		row(n, fmt.Sprintf("mean of the last of %d", n.Count))
	}
	return live.Table("program-table", "Program", "<th>name<th class=n>value<th>", b.String())
}

// maxRows is how many peers the page lists; /status has all.
const maxRows = 200

// peersTable has a line for each other peer. If there are too many, peers with problems come first.
func (r *Report) peersTable() string {
	list := r.Peers
	if len(list) > maxRows {
		list = slices.Clone(list)
		slices.SortStableFunc(list, func(a, b PeerStatus) int { return -cmp.Compare(min(len(a.Trouble), 1), min(len(b.Trouble), 1)) })
		list = list[:maxRows]
	}
	var b strings.Builder
	e := html.EscapeString
	for i := range list {
		p := &list[i]
		state := "missing"
		if p.Up {
			state = "up"
		}
		fmt.Fprintf(&b, "<tr><td title=\"%s\">%s<td class=%s>%s<td class=n>%v<td class=n>%+v<td class=n>%s/s<td class=n>%s/s<td class=n>%s<td class=n>%s<td class=n>%s<td>%s\n",
			e(p.ID.String()), e(p.Name), state, state, p.RoundTrip.Round(10*time.Microsecond), p.Skew.Round(time.Millisecond), live.Bytes(int64(p.InRate)), live.Bytes(int64(p.OutRate)),
			live.Bytes(p.In), live.Bytes(p.Out), live.Bytes(int64(p.Waiting)), e(p.Trouble))
	}
	if n := len(r.Peers) - len(list); n > 0 {
		fmt.Fprintf(&b, "<tr><td colspan=10>… and %d more, which <a href=%s>status</a> lists\n", n, WithToken("status", r.Token))
	}
	return live.Table("peers-table", "Peers",
		"<th>peer<th>state<th class=n>round trip<th class=n>clock<th class=n>in<th class=n>out<th class=n>received<th class=n>sent<th class=n>not acknowledged<th>", b.String())
}

// engineTable returns the measurements and counters of the engine.
func (r *Report) engineTable() string {
	var b strings.Builder
	t := &r.Telemetry
	for _, m := range measures {
		h := m.of(t)
		text := func(x int64) string {
			if m.unit == "bytes" {
				return live.Bytes(x)
			}
			return time.Duration(x).Round(time.Microsecond).String()
		}
		fmt.Fprintf(&b, "<tr><td>%s<td class=n>%d<td class=n>%s<td class=n>%s\n", m.short, h.Count, text(h.Quantile(0.5)), text(h.Quantile(0.99)))
	}
	var counts []string
	for _, c := range counters {
		if v := c.of(&r.Stats); v > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", v, strings.ReplaceAll(c.name, "_", " ")))
		}
	}
	return live.Table("engine-table", "Engine", "<th>measured<th class=n>times<th class=n>half within<th class=n>99 % within", b.String()) +
		"<p><small>" + strings.Join(counts, ", ") + "</small></p>\n"
}

// about returns the properties that do not change.
func (r *Report) about() string {
	e := html.EscapeString
	build := ""
	if r.Build != "" {
		build = ", build " + r.Build
	}
	return fmt.Sprintf("<p><small>peer <code>%s</code><br>program <code>%s</code>, kernels %s%s<br>limits: %s<br><a href=metrics>metrics</a> · <a href=%s>status</a></small></p>\n",
		e(r.Status.ID), e(r.Fingerprint), e(r.Kernels), e(build), e(r.Limits), WithToken("status", r.Token))
}
