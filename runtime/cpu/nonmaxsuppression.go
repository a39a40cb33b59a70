package cpu

import "slices"

// NMSParams are the sizes and the attribute of a NonMaxSuppression.
type NMSParams struct {
	Batches, Classes, Boxes int
	Center                  bool // boxes are a center and sizes, not two corners
}

// NonMaxSuppressionCount selects boxes, those of the best score first: a box
// goes if it overlaps a selected one of its class by more than the threshold.
// It writes rows of batch, class and box to picked and returns their number.
// boxes is [batches, boxes, 4], scores is [batches, classes, boxes]; limit,
// overlap and threshold have one element or are nil; order has room for the
// boxes, picked for all that there may be.
func NonMaxSuppressionCount(picked, order []int64, boxes, scores []float32, limit []int64, overlap, threshold []float32, p NMSParams) int {
	most := 0
	if len(limit) > 0 {
		most = int(min(max(limit[0], 0), int64(p.Boxes)))
	}
	total := 0
	for b := range p.Batches {
		box := boxes[b*p.Boxes*4:][:p.Boxes*4]
		for c := range p.Classes {
			score := scores[(b*p.Classes+c)*p.Boxes:][:p.Boxes]
			own := picked[total*3:]
			n := 0
			for _, i := range byScore(order, score, threshold) {
				if n == most {
					break
				}
				if !p.suppressed(box, own[:n*3], int(i), overlap) {
					own[n*3], own[n*3+1], own[n*3+2] = int64(b), int64(c), i
					n++
				}
			}
			total += n
		}
	}
	return total
}

// byScore is the boxes with a score above the threshold, the best first.
func byScore(order []int64, score, threshold []float32) []int64 {
	n := 0
	for i, s := range score {
		if s == s && (len(threshold) == 0 || s > threshold[0]) {
			order[n] = int64(i)
			n++
		}
	}
	slices.SortFunc(order[:n], func(a, b int64) int {
		switch {
		case score[a] > score[b]:
			return -1
		case score[a] < score[b]:
			return 1
		}
		return int(a - b)
	})
	return order[:n]
}

// suppressed reports whether box i overlaps one of the picked ones too much.
func (p *NMSParams) suppressed(boxes []float32, picked []int64, i int, overlap []float32) bool {
	limit := float32(0)
	if len(overlap) > 0 {
		limit = overlap[0]
	}
	a := p.corners(boxes[i*4:][:4])
	for k := 2; k < len(picked); k += 3 {
		b := p.corners(boxes[picked[k]*4:][:4])
		h := min(a[2], b[2]) - max(a[0], b[0])
		w := min(a[3], b[3]) - max(a[1], b[1])
		if h <= 0 || w <= 0 {
			continue
		}
		both := float32(h * w)
		areaA, areaB := float32((a[2]-a[0])*(a[3]-a[1])), float32((b[2]-b[0])*(b[3]-b[1]))
		union := areaA + areaB - both
		if both > 0 && areaA > 0 && areaB > 0 && union > 0 && both/union > limit {
			return true
		}
	}
	return false
}

// corners are the smaller coordinates of a box and then the larger ones.
func (p *NMSParams) corners(b []float32) [4]float32 {
	if p.Center {
		return [4]float32{b[1] - b[3]/2, b[0] - b[2]/2, b[1] + b[3]/2, b[0] + b[2]/2}
	}
	return [4]float32{min(b[0], b[2]), min(b[1], b[3]), max(b[0], b[2]), max(b[1], b[3])}
}
