package status

import (
	"fmt"
	"html"
	"strings"

	"github.com/bbgen/bbgen/runtime/host/live"
)

// Picture is the peer's part of the program, with what is under way.
type Picture struct {
	Class   string          `json:"class"`
	Modules []PictureModule `json:"modules"`
	Edges   []PictureEdge   `json:"edges"`
}

// PictureModule is a module of the peer.
type PictureModule struct {
	Name   string         `json:"name"`
	Live   int            `json:"live"` // executions that wait in it
	Blocks []PictureBlock `json:"blocks"`
}

// PictureBlock is a block, with the values that it needs.
type PictureBlock struct {
	Name  string        `json:"name,omitempty"`
	Needs []PictureNeed `json:"needs,omitempty"`
}

// PictureNeed is a value that comes from outside of the module's code.
type PictureNeed struct {
	Name   string `json:"name"`
	Waits  int    `json:"waits,omitempty"`     // executions that wait for it
	Waited int64  `json:"waited_ns,omitempty"` // how long the oldest of them has waited
	Oldest string `json:"oldest,omitempty"`    // the same in words, and for whom
}

// PictureEdge is an edge from or to other peers.
type PictureEdge struct {
	Name  string `json:"name"`
	Class string `json:"class,omitempty"` // of the other end, if it is known
	In    bool   `json:"in"`
	Fills int64  `json:"fills"` // values that were sent or received
	Bytes int64  `json:"bytes"`

	Module int `json:"module"` // of an edge that comes in: the first block that needs its value
	Block  int `json:"block"`
}

// The sizes of the picture, in pixels. Its width fits a page; smaller screens scroll.
const (
	pictureWide  = 780
	pictureSide  = 220 // the width of the columns of edges
	pictureLine  = 18
	pictureEdge  = 2*pictureLine + 8
	pictureInset = 10
)

// drawing is a picture that is being drawn.
type drawing struct {
	strings.Builder
	y int
}

func (d *drawing) text(class string, x, y int, format string, args ...any) {
	fmt.Fprintf(d, "<text class=\"%s\" x=%d y=%d>%s</text>\n", class, x, y, html.EscapeString(fmt.Sprintf(format, args...)))
}

func (d *drawing) box(class string, x, y, w, h int) {
	fmt.Fprintf(d, "<rect class=\"%s\" x=%d y=%d width=%d height=%d rx=5 />\n", class, x, y, w, h)
}

// arrow draws an edge from left to right with its numbers above and below.
func (d *drawing) arrow(e *PictureEdge, x, y int) {
	way := "to " + e.Class
	if e.In {
		way = "from " + e.Class
	}
	if e.Class == "" {
		way = "to others"
	}
	state := "idle"
	if e.Fills > 0 {
		state = "flows"
	}
	d.text("", x+4, y+pictureLine-5, "%s", e.Name)
	fmt.Fprintf(d, "<path class=%s d=\"M%d %dh%dm-6 -4l6 4l-6 4\" />\n", state, x, y+pictureLine, pictureSide)
	d.text("dim", x+4, y+2*pictureLine-2, "%s: %d, %s", way, e.Fills, live.Bytes(e.Bytes))
}

// HTML returns the picture below a title: the peer's modules with their blocks, beside the edges that come in and go
// out. The id is that of its part of the page.
func (p *Picture) HTML(id, title string) string {
	if p == nil || len(p.Modules) == 0 {
		return ""
	}
	d := &drawing{y: pictureInset}
	for m := range p.Modules {
		p.drawModule(d, m)
	}
	out := pictureInset
	for i := range p.Edges {
		if e := &p.Edges[i]; !e.In {
			d.arrow(e, pictureWide-pictureSide, out)
			out += pictureEdge
		}
	}
	high := max(d.y, out) + pictureInset
	title = html.EscapeString(title)
	return fmt.Sprintf("<h2>%s</h2>\n<div class=wide id=\"%s-scroll\" tabindex=0 role=region aria-label=\"%s\">"+
		"<svg class=picture viewBox=\"0 0 %d %d\" width=%d height=%d role=img aria-label=\"%s\">\n%s</svg></div>\n",
		title, html.EscapeString(id), title, pictureWide, high, pictureWide, high, html.EscapeString(p.text()), d.String())
}

// drawModule draws a module below the others, and the edges that come in to its blocks.
func (p *Picture) drawModule(d *drawing, m int) {
	module := &p.Modules[m]
	x, wide, top := pictureSide, pictureWide-2*pictureSide, d.y
	var inside drawing
	inside.y = top + pictureLine + 4
	inside.text("name", x+pictureInset, top+pictureLine-2, "%s%s", module.Name, liveText(module.Live))
	for b := range module.Blocks {
		p.drawBlock(&inside, m, b, x+pictureInset, wide-2*pictureInset)
	}
	d.box("module", x, top, wide, inside.y-top+2)
	d.WriteString(inside.String())
	d.y = inside.y + pictureInset
}

func liveText(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" · %d under way", n)
}

func (p *Picture) drawBlock(d *drawing, m, b, x, wide int) {
	block := &p.Modules[m].Blocks[b]
	var lines drawing
	y, state := d.y+pictureLine-3, "block"
	if block.Name != "" {
		lines.text("name", x+6, y, "%s", block.Name)
		y += pictureLine
	}
	for i := range block.Needs {
		n := &block.Needs[i]
		if n.Waits == 0 {
			lines.text("", x+6, y, "%s", n.Name)
			y += pictureLine
			continue
		}
		state = "block waits"
		lines.text("name", x+6, y, "%s · %d waiting", n.Name, n.Waits)
		lines.text("", x+6, y+pictureLine, "%s", n.Oldest)
		y += 2 * pictureLine
	}
	if y == d.y+pictureLine-3 {
		lines.text("dim", x+6, y, "runs at once")
		y += pictureLine
	}
	at := d.y
	for i := range p.Edges {
		if e := &p.Edges[i]; e.In && e.Module == m && e.Block == b {
			d.arrow(e, 0, at)
			at += pictureEdge
		}
	}
	high := max(y-pictureLine+9-d.y, at-d.y)
	d.box(state, x, d.y, wide, high)
	d.WriteString(lines.String())
	d.y += high + 6
}

// text says in words what waits, for those who do not see the picture.
func (p *Picture) text() string {
	var list []string
	for i := range p.Modules {
		for _, b := range p.Modules[i].Blocks {
			for _, n := range b.Needs {
				if n.Waits > 0 {
					list = append(list, fmt.Sprintf("%s waits for %s, %s", p.Modules[i].Name, n.Name, n.Oldest))
				}
			}
		}
	}
	if list == nil {
		return fmt.Sprintf("the %d modules of a %s: nothing waits", len(p.Modules), p.Class)
	}
	return strings.Join(list, "; ")
}
