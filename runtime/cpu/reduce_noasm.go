//go:build !amd64 || purego

package cpu

// Here no rows are computed in groups.

func grouped(rows, n int) int { return 0 }

func vecSumRowsAtLevel(dst, x []float32, n int) bool    { return false }
func vecSquareRowsAtLevel(dst, x []float32, n int) bool { return false }
func vecAbsRowsAtLevel(dst, x []float32, n int) bool    { return false }

func vecSumColumns(dst, x []float32, rows int)    { vecSumColumnsGo(dst, x, rows) }
func vecSquareColumns(dst, x []float32, rows int) { vecSquareColumnsGo(dst, x, rows) }
func vecAbsColumns(dst, x []float32, rows int)    { vecAbsColumnsGo(dst, x, rows) }

func layerNormRowsAtLevel(dst, x, scale, bias []float32, n, rows int, eps float32) bool { return false }
func l2NormRowsAtLevel(dst, x []float32, n, rows int, least float32) bool               { return false }
