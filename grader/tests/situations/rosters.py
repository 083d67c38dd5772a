"""What an instructor reads about lists of students: those that come in, and the course's own."""

import os

from .course import CANVAS, HANDED_IN, called, course, own_roster, own_students, students
from .situation import Situation, both, files, given

SITUATIONS = (
    Situation("class-roster", called("roster {given}/canvas.csv", "roster"),
              both(course, files(canvas_csv=CANVAS))),
    Situation("class-roster-of-another-form",
              called(*(f"roster {{given}}/{name}.csv" for name in "abcdefghijk"),
                     "roster {given}/none.csv", "roster {given}/list.xlsx",
                     "roster {given}/login.csv"),
              both(course, files(a_csv="", b_csv="x,y\n1,2\n", c_csv="Student,ID,Section\n",
                                 d_csv='student,name,email\n"ann,x', e_csv=b"caf\xe9,x\n",
                                 f_csv="student,name,email\na/b,Ann,\n", g_csv=b"\x81\xe9",
                                 h_csv="Student;ID;Section\nAnn;1,0E+9;\n",
                                 i_csv=CANVAS + "Bob,11,u2,bob,S1,\n",
                                 j_csv="student,name,email\nann,Ant, Ann,ann@x\n",
                                 k_csv="student,name,email,section\nann,Ant, Ann,ann@x\n",
                                 login_csv="<!DOCTYPE html>", list_xlsx=b"PK\x03\x04x"))),
    Situation("class-roster-that-is-no-list", called("roster {given}/large.csv"),
              both(course, files(large_csv=b"x" * (17 << 20)))),
    Situation("class-roster-that-is-a-pipe", called("roster {given}/pipe.csv"),
              both(course, lambda checkout: os.mkfifo(given(checkout) / "pipe.csv"))),
    Situation("course-toml-that-is-no-utf-8", called("status"), both(
        course, lambda checkout: (given(checkout) / "cs101" / "course.toml").write_bytes(
            b"\xff\xfet\0") and None)),
    Situation("class-roster-of-its-own-damaged", called("status"), own_roster("name\nAnn\n")),
    Situation("class-roster-with-a-bad-id", called("status"),
              own_roster("student,name,email\na/b,Ann,a@x\n")),
    Situation("class-roster-with-one-twice", called("status"),
              own_roster("student,name,email\nann,Ann,a@x\nann,Bob,b@x\n")),
    Situation("class-roster-with-one-id-for-two", called("roster {given}/list.csv"), both(
        course, files(list_csv="student,name,email\nann,Ann,a@x\nann,Bob,b@x\n"))),
    Situation("class-roster-that-joins-two", called("roster {given}/moodle.csv"),
              both(own_roster("student,name,email,sis_user_id\na,Ann,a@x,\nb,Ann,,7\n"),
                   files(moodle_csv="First name,Last name,ID number,Email address\n"
                         "Ann,Ant,7,a@x\n"))),
    Situation("class-namesakes", called("explain 'Ann Ant'"), own_roster(
        "student,name,email\nann,Ann Ant,a@x\nann-2,\"Ant, Ann\",b@x\n")),
    Situation("class-roster-without-somebody", called("roster {given}/canvas.csv"),
              both(students, files(canvas_csv=CANVAS))),
    Situation("class-roster-of-somebody-renamed", called("roster {given}/canvas.csv"), both(
        own_roster("student,name,email,canvas_id\nann,Ann Bell,ann@home.org,11\n"),
        files(canvas_csv=CANVAS))),
    Situation("class-status-of-somebody-who-left", called("status"), both(
        HANDED_IN, own_students("student,name,email\nann,Ann Ant,ann@x.edu\n"))),
)  # fmt: skip
