package peer

import (
	"fmt"
	"html"
	"io"
	"strings"
	"time"
)

const pageHead = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="2"><meta name="viewport" content="width=device-width">
<title>%s</title>
<style>
:root{color-scheme:light dark}
body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:64em;padding:0 1em}
h1{font-size:1.5em;margin:0}h2{font-size:1.05em;margin:1.6em 0 .4em}
table{border-collapse:collapse;width:100%%}th{font-weight:600}
td,th{padding:.25em .9em .25em 0;text-align:left;border-bottom:1px solid #8884;vertical-align:top}
.n{text-align:right;font-variant-numeric:tabular-nums}
.cards{display:flex;flex-wrap:wrap;gap:.8em;margin:1em 0}.cards div{border:1px solid #8886;border-radius:.5em;padding:.5em 1em}
.cards b{display:block;font-size:1.4em;font-variant-numeric:tabular-nums}
.up{color:#2a8f3c}.missing{color:#d03b2f}code{word-break:break-all}small{opacity:.7}
</style></head><body>
`

// writePage writes the status page.
func writePage(w io.Writer, r *report) {
	e := html.EscapeString
	fmt.Fprintf(w, pageHead, e(r.Name+" of "+r.Program))
	fmt.Fprintf(w, "<h1>%s <small>of %s</small></h1>\n", e(r.Name), e(r.Program))
	up := 0
	for i := range r.Peers {
		if r.Peers[i].Up {
			up++
		}
	}
	fmt.Fprint(w, "<div class=cards>\n")
	for _, c := range [][2]string{
		{r.Status.State, "for " + r.Uptime.Round(time.Second).String()},
		{fmt.Sprint(r.Status.Latest), "latest round"},
		{fmt.Sprintf("%d of %d", up, len(r.Peers)), "peers are up"},
		{bytesText(r.Status.In), "received"},
		{bytesText(r.Status.Out), "sent"},
		{fmt.Sprint(r.Status.Live), "executions live"},
		{fmt.Sprint(r.Status.Outbound), "envelopes not acknowledged"},
	} {
		fmt.Fprintf(w, "<div><b>%s</b>%s</div>\n", e(c[0]), e(c[1]))
	}
	fmt.Fprint(w, "</div>\n")
	if len(r.Status.Missing) > 0 {
		fmt.Fprintf(w, "<p class=missing>Missing: %s</p>\n", e(strings.Join(r.Status.Missing, ", ")))
	}
	if r.Status.Unsaved != "" {
		fmt.Fprintf(w, "<p class=missing>No snapshot can be written: %s</p>\n", e(r.Status.Unsaved))
	}
	for _, text := range r.Status.Waits {
		fmt.Fprintf(w, "<p class=missing>Waits for %s</p>\n", e(text))
	}
	writeNumbers(w, r)
	writePeers(w, r)
	writeMeasured(w, r)
	fmt.Fprintf(w, "<p><small>peer <code>%s</code><br>program <code>%s</code>, kernels %s%s<br>limits: %s<br><a href=/metrics>metrics</a> · <a href=/status>status</a></small></p>\n</body></html>\n",
		e(r.Status.ID), e(r.Fingerprint), e(r.Kernels), e(buildText(r.Build)), e(r.Limits))
}

func buildText(build string) string {
	if build == "" {
		return ""
	}
	return ", build " + build
}

// writeNumbers writes what the program tells of itself.
func writeNumbers(w io.Writer, r *report) {
	if len(r.Emitted)+len(r.Counters)+len(r.Records) == 0 {
		return
	}
	fmt.Fprint(w, "<h2>Program</h2>\n<table><tr><th>name<th class=n>value<th>\n")
	row := func(n Number, note string) {
		fmt.Fprintf(w, "<tr><td>%s<td class=n>%.6g<td>%s\n", html.EscapeString(n.Name), n.Value, note)
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
	fmt.Fprint(w, "</table>\n")
}

// writePeers writes a line for each other peer.
func writePeers(w io.Writer, r *report) {
	e := html.EscapeString
	fmt.Fprint(w, "<h2>Peers</h2>\n<table><tr><th>peer<th>state<th class=n>round trip<th class=n>clock<th class=n>received<th class=n>sent<th class=n>not acknowledged<th>\n")
	for i := range r.Peers {
		p := &r.Peers[i]
		state := "missing"
		if p.Up {
			state = "up"
		}
		fmt.Fprintf(w, "<tr><td title=\"%s\">%s<td class=%s>%s<td class=n>%v<td class=n>%+v<td class=n>%s<td class=n>%s<td class=n>%s<td>%s\n", e(p.ID.String()), e(p.Name), state, state,
			p.RoundTrip.Round(10*time.Microsecond), p.Skew.Round(time.Millisecond), bytesText(p.In), bytesText(p.Out), bytesText(int64(p.Waiting)), e(p.Error))
	}
	fmt.Fprint(w, "</table>\n")
}

// writeMeasured writes what the engine has measured and counted.
func writeMeasured(w io.Writer, r *report) {
	fmt.Fprint(w, "<h2>Engine</h2>\n<table><tr><th>measured<th class=n>times<th class=n>half within<th class=n>99 % within\n")
	t := &r.telemetry
	for _, m := range measures {
		h := m.of(t)
		text := func(x int64) string {
			if m.unit == "bytes" {
				return bytesText(x)
			}
			return time.Duration(x).Round(time.Microsecond).String()
		}
		fmt.Fprintf(w, "<tr><td>%s<td class=n>%d<td class=n>%s<td class=n>%s\n", m.short, h.Count, text(h.Quantile(0.5)), text(h.Quantile(0.99)))
	}
	fmt.Fprint(w, "</table>\n<p><small>")
	sep := ""
	for _, c := range counters {
		if v := c.of(&r.Stats); v > 0 {
			fmt.Fprintf(w, "%s%d %s", sep, v, strings.ReplaceAll(c.name, "_", " "))
			sep = ", "
		}
	}
	fmt.Fprint(w, "</small></p>\n")
}

func bytesText(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	if n < 1<<10 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
}
