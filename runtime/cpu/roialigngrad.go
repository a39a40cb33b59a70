package cpu

import "math"

// RoiAlignGrad is the gradient of [RoiAlign] by x, dx, and by the regions:
//
//	dx[around a sample] += dy * weight            // of the mean: for each sample
//	drois[side] += dy * x[around a sample] * weight' * at'
//
// where weight' is the derivative of the weight by the position of the sample, and at' that of the position
// by the side of the region.
func RoiAlignGrad[T Float, I Index](dx, drois, dy, x, rois []T, batch []I, p RoiAlignParams) {
	clear(dx)
	clear(drois)
	plane, cells := p.Height*p.Width, p.OutHeight*p.OutWidth
	for n, b := range batch {
		b := toInt(b)
		if b < 0 || b >= p.Batches {
			badIndex("RoiAlignGrad", b, p.Batches)
		}
		g := roiGrad[T]{RoiAlignParams: &p, box: row(rois, n, 4), dbox: row(drois, n, 4)}
		g.rows = p.side(float64(g.box[1]), float64(g.box[3]), p.OutHeight)
		g.cols = p.side(float64(g.box[0]), float64(g.box[2]), p.OutWidth)
		for c := range p.Channels {
			g.img, g.dimg = row(x, b*p.Channels+c, plane), row(dx, b*p.Channels+c, plane)
			for k, d := range row(dy, n*p.Channels+c, cells) {
				g.cell(k/p.OutWidth, k%p.OutWidth, d)
			}
		}
	}
}

// roiGrad computes the gradients of one channel of one region.
type roiGrad[T Float] struct {
	*RoiAlignParams
	img, dimg, box, dbox []T
	rows, cols           roiSide
}

// roiCorner is an element around a sample: its place, its weight, and the derivatives of the weight by the
// position of the sample.
type roiCorner struct {
	at                 int
	weight, byY, byX   float64
	cellY, cellX, y, x int // the sample
}

// cell adds the gradients of a cell.
func (g *roiGrad[T]) cell(i, j int, dy T) {
	samples := float64(g.rows.samples) * float64(g.cols.samples)
	y0, y1 := g.rows.inside(i, g.Height)
	x0, x1 := g.cols.inside(j, g.Width)
	top, best := T(math.Inf(-1)), roiCorner{at: -1}
	if float64(y1-y0)*float64(x1-x0) < samples {
		top = 0 // that of a sample outside
	}
	for y := y0; y < y1; y++ {
		for x := x0; x < x1; x++ {
			corners, ok := g.corners(i, j, y, x)
			if !ok {
				if 0 > top {
					top, best = 0, roiCorner{at: -1}
				}
				continue
			}
			for _, c := range corners {
				switch v := T(T(c.weight) * g.img[c.at]); {
				case !g.Max:
					g.add(c, dy/T(samples))
				case v > top:
					top, best = v, c
				}
			}
		}
	}
	if g.Max && best.at >= 0 {
		g.add(best, dy)
	}
}

// corners returns the elements around a sample, or false if there are none.
func (g *roiGrad[T]) corners(i, j, y, x int) (out [4]roiCorner, ok bool) {
	atY, atX := g.rows.at(i, y), g.cols.at(j, x)
	y0, y1, v, okY := between(atY, g.Height)
	x0, x1, u, okX := between(atX, g.Width)
	if !okY || !okX {
		return out, false
	}
	moveY, moveX := moves(atY, y0, y1), moves(atX, x0, x1)
	for k := range out {
		c := roiCorner{cellY: i, cellX: j, y: y, x: x}
		wy, wx, sy, sx := 1-v, 1-u, -moveY, -moveX
		cy, cx := y0, x0
		if k >= 2 {
			wy, sy, cy = v, moveY, y1
		}
		if k%2 == 1 {
			wx, sx, cx = u, moveX, x1
		}
		c.at, c.weight, c.byY, c.byX = cy*g.Width+cx, wy*wx, sy*wx, wy*sx
		out[k] = c
	}
	return out, true
}

// moves returns the derivative of the distance of [between] by the position: 0 where the position is moved
// into the image.
func moves(at float64, lo, hi int) float64 {
	if at <= 0 || lo == hi {
		return 0
	}
	return 1
}

// add adds the gradients of a corner.
func (g *roiGrad[T]) add(c roiCorner, dy T) {
	g.dimg[c.at] += T(dy * T(c.weight))
	d := float64(dy) * float64(g.img[c.at])
	g.move(g.rows, 1, c.cellY, c.y, d*c.byY, g.OutHeight)
	g.move(g.cols, 0, c.cellX, c.x, d*c.byX, g.OutWidth)
}

// move adds to the gradients of the two sides of the region between which a sample is.
func (g *roiGrad[T]) move(s roiSide, first, cell, sample int, d float64, cells int) {
	part := (float64(cell) + (float64(sample)+0.5)/float64(s.samples)) / float64(cells)
	if from, to := float64(g.box[first]), float64(g.box[first+2]); !g.HalfPixel && (to-from)*g.Scale < 1 {
		g.dbox[first] += T(d * g.Scale) // the region has size 1 wherever it ends
		return
	}
	g.dbox[first] += T(d * g.Scale * (1 - part))
	g.dbox[first+2] += T(d * g.Scale * part)
}
