package live

import (
	"fmt"
	"html"
	"slices"
	"strings"
	"time"
)

// A Card is a prominent number.
type Card struct{ Value, Name string }

// Cards returns cards side by side.
func Cards(list ...Card) string {
	var b strings.Builder
	b.WriteString("<div class=cards>\n")
	for _, c := range list {
		fmt.Fprintf(&b, "<div><b>%s</b>%s</div>\n", html.EscapeString(c.Value), html.EscapeString(c.Name))
	}
	b.WriteString("</div>\n")
	return b.String()
}

// Alert returns a line about a problem.
func Alert(format string, args ...any) string {
	return "<p class=missing>" + html.EscapeString(fmt.Sprintf(format, args...)) + "</p>\n"
}

// Table returns a heading and a table with given rows. It can be scrolled if it is wider than the page.
func Table(id, title, head, rows string) string {
	e := html.EscapeString
	return fmt.Sprintf("<h2>%s</h2>\n<div class=wide id=\"%s\" tabindex=0 role=region aria-label=\"%s\"><table><tr>%s\n%s</table></div>\n", e(title), e(id), e(title), head, rows)
}

// Bytes formats a number of bytes for users.
func Bytes(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d B", n)
}

// maxEvents is how many events are kept.
const maxEvents = 100

// Events holds the latest events.
type Events struct {
	list []event
	next int // in list, when it is full
}

type event struct {
	at    time.Time
	text  string
	wrong bool
}

// Add adds an event. Wrong marks a problem.
func (e *Events) Add(at time.Time, wrong bool, text string) {
	x := event{at, text, wrong}
	if len(e.list) < maxEvents {
		e.list = append(e.list, x)
		return
	}
	e.list[e.next] = x
	e.next = (e.next + 1) % maxEvents
}

// Clone returns a copy of the events.
func (e *Events) Clone() Events { return Events{slices.Clone(e.list), e.next} }

// HTML returns the events, the latest first.
func (e *Events) HTML() string {
	if len(e.list) == 0 {
		return ""
	}
	var rows strings.Builder
	for i := range e.list {
		x := &e.list[(e.next+len(e.list)-1-i)%len(e.list)]
		class := ""
		if x.wrong {
			class = " class=missing"
		}
		fmt.Fprintf(&rows, "<tr><td class=n>%s<td%s>%s\n", x.at.Format("15:04:05.000"), class, html.EscapeString(x.text))
	}
	return Table("events-table", "Events", "<th class=n>time<th>what has happened", rows.String())
}
