package browsertest

import (
	"image"
	"image/color"
	"image/draw"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bbgen/bbgen/internal/failtest"
)

// picture returns a white picture of 400 by 320 pixels with a black rectangle.
func picture(r image.Rectangle) image.Image {
	m := image.NewRGBA(image.Rect(0, 0, 400, 320))
	draw.Draw(m, m.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(m, r, image.NewUniform(color.Black), image.Point{}, draw.Src)
	return m
}

// TestDiffering: a line that moves by a pixel is the same picture, and a rectangle that moves or is missing is not.
func TestDiffering(t *testing.T) {
	line := small(picture(image.Rect(20, 100, 380, 101)))
	if got := differing(line, small(picture(image.Rect(20, 101, 380, 102)))); got != 0 {
		t.Errorf("%.3f of the squares differ when a line moves by a pixel", got)
	}
	box := small(picture(image.Rect(96, 96, 176, 176)))
	if got := differing(box, small(picture(image.Rect(136, 96, 216, 176)))); got != 0.05 {
		t.Errorf("%.3f of the squares differ when a box moves by half, want 0.050", got)
	}
	if got := differing(box, line); got < mostOff {
		t.Errorf("%.3f of the squares differ, want more", got)
	}
	if got := differing(box, small(image.NewRGBA(image.Rect(0, 0, 400, 328)))); got != 1 {
		t.Errorf("%.3f of pictures of different sizes differ, want all", got)
	}
}

// TestFarApart: colors are far apart if one channel is by more than 32.
func TestFarApart(t *testing.T) {
	gray := color.RGBA{100, 100, 100, 255}
	for c, want := range map[color.RGBA]bool{
		gray: false, {132, 68, 132, 255}: false,
		{133, 100, 100, 255}: true, {100, 67, 100, 255}: true, {100, 100, 133, 255}: true,
	} {
		if got := farApart(gray, c); got != want {
			t.Errorf("%v and %v are far apart: %v, want %v", gray, c, got, want)
		}
	}
}

// TestCompareLooks: a page that is otherwise at first and then as in the file passes. One that stays otherwise fails,
// and is written to a file of its own.
func TestCompareLooks(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("TMPDIR", dir)
	line, box := small(picture(image.Rect(20, 100, 380, 101))), small(picture(image.Rect(96, 96, 176, 176)))

	t.Setenv("BBGEN_UPDATE", "1")
	compareLooks(t, "page/line", line, nil)
	t.Setenv("BBGEN_UPDATE", "")
	compareLooks(t, "page/line", line, nil)
	if m, err := readPNG("testdata/looks/page/line.png"); err != nil || !slices.Equal(m.(*image.RGBA).Pix, line.Pix) {
		t.Errorf("got another picture than the written one, %v", err)
	}

	for _, c := range []struct {
		name  string
		later time.Duration // after which the page is as it should
		fails bool
	}{
		{"late", settling - time.Second, false}, {"never", 2 * settling, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			r := failtest.Run(t, func(r testing.TB) {
				compareLooks(r, "page/line", box, func() *image.RGBA {
					if time.Since(start) < c.later {
						return box
					}
					return line
				})
			})
			if c.fails != (len(r.Errors) == 1 && strings.HasPrefix(r.Errors[0], "5.0 % of the page differ")) {
				t.Errorf("%s: got %q", c.name, r.Errors)
			}
		})
	}
	if m, err := readPNG(filepath.Join(dir, "page-line.png")); err != nil || differing(m, box) != 0 {
		t.Errorf("the page that differs is another one in its file, %v", err)
	}
}

// TestCompareLooksFails: a test ends that cannot read the picture, or cannot write it.
func TestCompareLooksFails(t *testing.T) {
	write := func(file, text string) func() error {
		return func() error {
			if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
				return err
			}
			return os.WriteFile(file, []byte(text), 0o666)
		}
	}
	for _, c := range []struct {
		name    string
		prepare func() error
		update  string
	}{
		{"no file", func() error { return nil }, ""},
		{"no picture", write("testdata/looks/page/line.png", "text"), ""},
		{"a file instead of the folder", write("testdata/looks/page", ""), "1"},
		{"a folder instead of the file", write("testdata/looks/page/line.png/file", ""), "1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			t.Setenv("BBGEN_UPDATE", c.update)
			if err := c.prepare(); err != nil {
				t.Fatal(err)
			}
			r := failtest.Run(t, func(r testing.TB) { compareLooks(r, "page/line", small(picture(image.Rectangle{})), nil) })
			if !r.Ended {
				t.Errorf("the test goes on, with %q", r.Errors)
			}
		})
	}
}
