package cpu

import "math"

// SVM is a support vector machine. Without support vectors it is linear: the
// coefficients are a row for each score.
type SVM struct {
	Kernel              string // "LINEAR", "POLY", "RBF" or "SIGMOID"
	Gamma, Coef0        float64
	Degree              float64
	Vectors             []float32 // rows of Columns elements
	Coefficients        []float32
	Rho                 []float32
	ProbA, ProbB        []float32
	PerClass            []int64 // the number of vectors of each class
	Columns             int
	VectorCount, Scores int
	OneClass            bool
}

// SVMRegress writes the value of a support vector machine for each row of x or, if p.OneClass, 1 if it is
// positive and -1 if not.
func SVMRegress[T Float | Index](dst []float32, x []T, p SVM) {
	for r := range dst {
		row := x[r*p.Columns : (r+1)*p.Columns]
		sum := float64(p.Rho[0])
		if p.VectorCount == 0 {
			sum += svmDot(row, p.Coefficients)
		}
		for j := range p.VectorCount {
			sum += float64(float64(p.Coefficients[j]) * svmKernel(&p, row, j))
		}
		switch {
		case !p.OneClass:
			dst[r] = float32(sum)
		case sum > 0:
			dst[r] = 1
		default:
			dst[r] = -1
		}
	}
}

func svmDot[T Float | Index](x []T, v []float32) float64 {
	sum := 0.0
	for i, w := range v[:len(x)] {
		sum += float64(float64(x[i]) * float64(w))
	}
	return sum
}

// svmKernel returns the kernel function of a row and support vector j.
func svmKernel[T Float | Index](p *SVM, row []T, j int) float64 {
	v := p.Vectors[j*p.Columns : (j+1)*p.Columns]
	if p.Kernel == "RBF" {
		sum := 0.0
		for i, w := range v {
			d := float64(row[i]) - float64(w)
			sum += float64(d * d)
		}
		return math.Exp(-p.Gamma * sum)
	}
	dot := svmDot(row, v)
	switch p.Kernel {
	case "POLY":
		return math.Pow(float64(p.Gamma*dot)+p.Coef0, p.Degree)
	case "SIGMOID":
		return math.Tanh(float64(p.Gamma*dot) + p.Coef0)
	}
	return dot
}

// SVMScores writes a row of scores for each row of x: without support vectors one for each class, otherwise
// one for each pair of classes. votes gets the number of pairs that each class wins; it is nil without
// support vectors. sims needs an element for each support vector.
func SVMScores[T Float | Index](dst, votes []float32, sims []float64, x []T, p SVM) {
	for r := 0; r < len(dst)/max(p.Scores, 1); r++ {
		row, y := x[r*p.Columns:(r+1)*p.Columns], dst[r*p.Scores:(r+1)*p.Scores]
		if p.VectorCount == 0 {
			for k := range y {
				y[k] = float32(svmDot(row, p.Coefficients[k*p.Columns:]) + float64(p.Rho[0]))
			}
			continue
		}
		for j := range sims {
			sims[j] = svmKernel(&p, row, j)
		}
		n := len(p.PerClass)
		svmPairs(y, votes[r*n:(r+1)*n], sims, &p)
	}
}

// svmPairs decides between the classes of each pair.
func svmPairs(y, votes []float32, sims []float64, p *SVM) {
	clear(votes)
	pair, ai := 0, 0
	for i, ni := range p.PerClass {
		aj := ai + int(ni)
		for j := i + 1; j < len(p.PerClass); j++ {
			nj := int(p.PerClass[j])
			sum := float64(p.Rho[pair])
			for k := ai; k < ai+int(ni); k++ {
				sum += float64(float64(p.Coefficients[(j-1)*p.VectorCount+k]) * sims[k])
			}
			for k := aj; k < aj+nj; k++ {
				sum += float64(float64(p.Coefficients[i*p.VectorCount+k]) * sims[k])
			}
			y[pair] = float32(sum)
			if sum > 0 {
				votes[i]++
			} else {
				votes[j]++
			}
			pair++
			aj += nj
		}
		ai += int(ni)
	}
}

// SVMProbabilities converts the scores of pairs to probabilities of classes. pairs and q need a square of
// classes, qp a row.
func SVMProbabilities(dst, scores []float32, pairs, q, qp []float64, p SVM) {
	n := len(p.PerClass)
	for r := range len(dst) / max(n, 1) {
		k := 0
		for i := range n {
			for j := i + 1; j < n; j++ {
				v := 1 / (1 + math.Exp(float64(float64(scores[r*p.Scores+k])*float64(p.ProbA[k]))+float64(p.ProbB[k])))
				v = min(max(v, 1e-7), 1-1e-7)
				pairs[i*n+j], pairs[j*n+i] = v, 1-v
				k++
			}
		}
		coupled(dst[r*n:(r+1)*n], pairs, q, qp)
	}
}

// coupled computes the probabilities of n classes that agree best with those of all pairs, by the second
// method of Wu, Lin and Weng.
func coupled(dst []float32, pairs, q, qp []float64) {
	n := len(dst)
	prob := qp[n:]
	qp = qp[:n]
	for t := range n {
		prob[t] = 1 / float64(n)
		q[t*n+t] = 0
		for j := range n {
			if j != t {
				q[t*n+t] += float64(pairs[j*n+t] * pairs[j*n+t])
				q[t*n+j] = -float64(pairs[j*n+t] * pairs[t*n+j])
			}
		}
	}
	for range max(100, n) {
		total, worst := 0.0, 0.0
		for t := range n {
			qp[t] = 0
			for j := range n {
				qp[t] += float64(q[t*n+j] * prob[j])
			}
			total += float64(prob[t] * qp[t])
		}
		for t := range n {
			worst = max(worst, math.Abs(qp[t]-total))
		}
		if worst < 0.005/float64(n) {
			break
		}
		for t := range n {
			d := (total - qp[t]) / q[t*n+t]
			prob[t] += d
			total = (total + float64(d*(float64(d*q[t*n+t])+float64(2*qp[t])))) / float64((1+d)*(1+d))
			for j := range n {
				qp[j] = (qp[j] + float64(d*q[t*n+j])) / (1 + d)
				prob[j] /= 1 + d
			}
		}
	}
	for t := range n {
		dst[t] = float32(prob[t])
	}
}
